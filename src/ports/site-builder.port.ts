import type { ResolvedPackage } from './packages.port.js';

/** A page as a module of its site. */
export interface PageSource {
  readonly id: string;
  /** `/blog/:slug`. */
  readonly path: string;
  /** Its name in messages: `pages/blog/[slug].tsx`. */
  readonly file: string;
  /** TSX, not empty. */
  readonly source: string;
  /** The component that wraps it, by name. Null: none. */
  readonly layout: string | null;
  /** Everybody may read it now, so it gets a script that renders it to HTML. */
  readonly isOpen: boolean;
}

export interface ComponentSource {
  /** PascalCase: `@/components/<name>`. */
  readonly name: string;
  /** `components/<name>.tsx`. */
  readonly file: string;
  readonly source: string;
  /** Can be used without an import. */
  readonly isGlobal: boolean;
}

/** All that a build gets: it reads nothing else. */
export interface SiteSources {
  /** Workspaces take turns. */
  readonly workspaceId: string;
  readonly projectId: string;
  readonly pages: readonly PageSource[];
  readonly components: readonly ComponentSource[];
  /** Tailwind theme tokens without the dashes: `color-brand` → `#2563eb`. Values are checked before. */
  readonly theme: Readonly<Record<string, string>>;
  /** Names of the packages that pages and components may import, beside the platform's own. */
  readonly dependencies: readonly string[];
  /** These, and what they need. */
  readonly packages: readonly ResolvedPackage[];
  /** Opens the archive (.tgz) of a package by its integrity. */
  readonly archive: (integrity: string) => Promise<Uint8Array>;
  /** Assets made by earlier builds, by `SiteAsset.key`: what is known is named and not made again. */
  readonly known: ReadonlyMap<string, MadeAsset>;
}

/** What the site's browser asks for by name. */
export interface MadeAsset {
  /** File name with a hash of the content: `page-4f9c21ab.js`. The same content has the same name. */
  readonly name: string;
  /** Media type, with charset for texts. */
  readonly type: string;
  /** Of the content, in lower-case hex: SHA-256. */
  readonly digest: string;
  /** Bytes as they are, and compressed. A compressed form that is no smaller is left out. */
  readonly size: number;
  readonly gzip?: number;
  readonly brotli?: number;
}

export interface SiteAsset extends MadeAsset {
  /** What it was made of, and how: the same key makes the same bytes. */
  readonly key: string;
  /** Ids of the pages that need it: whoever may read one of them may have it. `all`: the platform's own, open to everyone. */
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
  /** Name of its script: an ES module whose default export is the page inside its layout. */
  readonly script: string;
  /** Names of the scripts that `script` imports, directly or not, for preloading. */
  readonly imports: readonly string[];
  /** Name of its whole style sheet. */
  readonly styles: string;
  /** Of an open page: statements to be evaluated in the sandbox, after those of `SiteBuild.renderer`. */
  readonly server?: string;
}

export interface SiteBuild {
  readonly pages: readonly BuiltPage[];
  readonly assets: readonly SiteAsset[];
  /** Name of the script that starts a page in the browser. */
  readonly start: string;
  /**
   * Statements that `BuiltPage.server` needs: React's renderer and the platform's module. Empty without open pages.
   * After both, the expression `renderPage({ path, params })` gives the page's HTML.
   */
  readonly renderer: string;
}

/** A stage that a build has reached, as it happens. `done`: from 0 to 1 within the stage. */
export type BuildStage = 'checking' | 'bundling' | 'styling';

export interface BuildWatcher {
  readonly reached: (stage: BuildStage, done: number) => void;
  /** Gets the bytes of each asset that is not known, once, one after the other, before `build` resolves. */
  readonly made: (asset: SiteAsset, bytes: AssetBytes) => Promise<void>;
}

/** The site cannot be built as it is. The message is a sentence for its author; `file` and `line` (from 1) where there are any. */
export class SiteBuildFailed extends Error {
  constructor(
    message: string,
    readonly file?: string,
    readonly line?: number,
  ) {
    super(message);
  }
}

/** Too many builds wait, or the process that built was lost. The same build may be tried again. */
export class SiteBuilderBusy extends Error {}

/**
 * Makes scripts and style sheets of a site's sources, in a process of its own: no environment, no network, no files but
 * its input, 512 MB and 120 seconds of processor time. It parses and bundles; no code of a customer or a package is evaluated. The same
 * sources make the same bytes. Builds of one workspace wait for each other; workspaces take turns.
 */
export abstract class SiteBuilder {
  /** @throws SiteBuildFailed, SiteBuilderBusy */
  abstract build(sources: SiteSources, watcher: BuildWatcher): Promise<SiteBuild>;

  /** Ends what is under way. */
  abstract close(): Promise<void>;
}
