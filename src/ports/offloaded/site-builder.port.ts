import type { ResolvedPackage } from '../network/packages.port.js';

export interface PageSource {
  readonly id: string;
  readonly path: string;
  readonly file: string;
  readonly source: string;
  readonly layout: string | null;
  /** Whether anyone may read the page. Such a page also gets a script that renders it to HTML on the server. */
  readonly isOpen: boolean;
}

export interface ComponentSource {
  readonly name: string;
  readonly file: string;
  readonly source: string;
  readonly isGlobal: boolean;
}

/** The complete input of a build, which reads nothing else. */
export interface SiteSources {
  /** Builds of different workspaces take turns. */
  readonly workspaceId: string;
  readonly projectId: string;
  readonly pages: readonly PageSource[];
  readonly components: readonly ComponentSource[];
  /** Tailwind theme tokens without the leading dashes: `color-brand` → `#2563eb`. The values are already validated. */
  readonly theme: Readonly<Record<string, string>>;
  readonly dependencies: readonly string[];
  readonly packages: readonly ResolvedPackage[];
  readonly archive: (integrity: string) => Promise<Uint8Array>;
  /** Assets of earlier builds, by `SiteAsset.key`. They are reused and not built again. */
  readonly known: ReadonlyMap<string, MadeAsset>;
}

export interface MadeAsset {
  /** File name with a hash of the content: `page-4f9c21ab.js`. Equal content has equal names. */
  readonly name: string;
  readonly type: string;
  /** SHA-256 of the content, in lower-case hex. */
  readonly digest: string;
  /** Uncompressed size in bytes. `gzip` and `brotli` are the compressed sizes, omitted if compression saves nothing. */
  readonly size: number;
  readonly gzip?: number;
  readonly brotli?: number;
}

export interface SiteAsset extends MadeAsset {
  /** Derived from the asset's inputs and the build method. Equal keys mean equal bytes. */
  readonly key: string;
  /**
   * Ids of the pages that need the asset. Readers of any of them may load it. `all` marks the platform's own assets,
   * which anyone may load.
   */
  readonly pages: readonly string[] | 'all';
}

export interface AssetBytes {
  readonly plain: Uint8Array;
  readonly gzip?: Uint8Array;
  readonly brotli?: Uint8Array;
}

export interface BuiltPage {
  readonly id: string;
  readonly path: string;
  readonly script: string;
  readonly imports: readonly string[];
  readonly styles: string;
  /**
   * Statements to evaluate in the sandbox after those of `SiteBuild.renderer`. Set only for a page that anyone may
   * read.
   */
  readonly server?: string;
}

export interface SiteBuild {
  readonly pages: readonly BuiltPage[];
  readonly assets: readonly SiteAsset[];
  readonly start: string;
  /**
   * Statements to evaluate before `BuiltPage.server`: React's renderer and the platform's module. Empty if no page has
   * `server`. After both, the expression `renderPage({ path, params })` gives the page's HTML.
   */
  readonly renderer: string;
}

export type BuildStage = 'checking' | 'bundling' | 'styling';

export interface BuildWatcher {
  readonly reached: (stage: BuildStage, done: number) => void;
  /** Receives the bytes of each new asset once, one asset at a time, before `build` resolves. */
  readonly made: (asset: SiteAsset, bytes: AssetBytes) => Promise<void>;
}

/** The message is for the author of the site's sources. `file` and `line` (from 1) are set if known. */
export class SiteBuildFailed extends Error {
  constructor(
    message: string,
    readonly file?: string,
    readonly line?: number,
  ) {
    super(message);
  }
}

/** Too many builds are waiting, or the service is stopping. The same build may be tried again. */
export class SiteBuilderBusy extends Error {}

/** The build process ended unexpectedly, perhaps because of what it built. The same build may be tried again. */
export class SiteBuildLost extends SiteBuilderBusy {}

/**
 * Builds in a separate process without environment or network, with no files but its input, and with 512 MB of memory
 * and 120 seconds of processor time. Evaluates no code of a customer or a package. Equal sources give equal bytes.
 * Builds of one workspace wait for each other; workspaces take turns.
 */
export abstract class SiteBuilder {
  /** @throws SiteBuildFailed, SiteBuilderBusy, SiteBuildLost */
  abstract build(sources: SiteSources, watcher: BuildWatcher): Promise<SiteBuild>;

  abstract close(): Promise<void>;
}
