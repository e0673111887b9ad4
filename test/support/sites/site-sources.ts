import {
  type BuildWatcher,
  type SiteAsset,
  type SiteBuild,
  type SiteBuilder,
  SiteBuildFailed,
  type SiteSources,
} from '../../../src/ports/offloaded/site-builder.port.js';

/** Sources by file, such as `pages/index.tsx` and `components/Hero.tsx`. */
export type SiteFiles = Readonly<Record<string, string>>;

interface Settings extends Partial<Omit<SiteSources, 'pages' | 'components'>> {
  /** Components that pages can use without an import. */
  readonly globals?: readonly string[];
  /** Layout of every page. */
  readonly layout?: string;
  /** Files of the pages that not everyone may read. */
  readonly closed?: readonly string[];
}

/** Returns the sources of a site with these files. The id of a page is its file. */
export function sourcesOf(
  files: SiteFiles,
  { globals = [], layout, closed = [], ...others }: Settings = {},
): SiteSources {
  const pages = Object.entries(files).filter(([file]) => file.startsWith('pages/'));
  const components = Object.entries(files).filter(([file]) => file.startsWith('components/'));
  return {
    workspaceId: 'w1',
    projectId: 'p1',
    pages: pages.map(([file, source]) => ({
      id: file,
      path: `/${file
        .slice('pages/'.length, -'.tsx'.length)
        .replace(/^index$/, '')
        .replace(/\[(\w+)\]/g, ':$1')}`,
      file,
      source,
      layout: layout ?? null,
      isOpen: !closed.includes(file),
    })),
    components: components.map(([file, source]) => {
      const name = file.slice('components/'.length, -'.tsx'.length);
      return { name, file, source, isGlobal: globals.includes(name) };
    }),
    theme: {},
    dependencies: [],
    packages: [],
    archive: async (integrity) => {
      throw new Error(`${integrity} is not there.`);
    },
    known: new Map(),
    ...others,
  };
}

export interface BuiltSite extends SiteBuild {
  /** Texts of the assets that this build made, by name. */
  readonly texts: ReadonlyMap<string, string>;
  readonly stages: readonly string[];
  readonly made: readonly SiteAsset[];
}

export async function built(
  builder: SiteBuilder,
  sources: SiteSources,
  watcher: Partial<BuildWatcher> = {},
): Promise<BuiltSite> {
  const texts = new Map<string, string>();
  const made: SiteAsset[] = [];
  const stages: string[] = [];
  const site = await builder.build(sources, {
    reached: (stage, done) => {
      if (stages.at(-1) !== stage) stages.push(stage);
      watcher.reached?.(stage, done);
    },
    made: async (asset, bytes) => {
      made.push(asset);
      texts.set(asset.name, Buffer.from(bytes.plain).toString('utf8'));
      await watcher.made?.(asset, bytes);
    },
  });
  return { ...site, texts, stages, made };
}

/** Returns why a site cannot be built: `pages/index.tsx:3 A sentence.` */
export async function refused(builder: SiteBuilder, sources: SiteSources): Promise<string> {
  try {
    await built(builder, sources);
    return 'built';
  } catch (error) {
    if (!(error instanceof SiteBuildFailed)) throw error;
    return `${error.file ?? ''}:${error.line ?? ''} ${error.message}`;
  }
}
