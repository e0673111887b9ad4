import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import {
  type BuildWatcher,
  type SiteAsset,
  type SiteBuild,
  SiteBuilder,
  SiteBuildFailed,
  type SiteSources,
} from '../../../src/ports/offloaded/site-builder.port.js';
import { QuickSiteBuilder } from './quick-builds.js';

/**
 * A builder that a test can observe, delay and make lose builds. By default, the service's own builder does the work.
 */
export class WatchedSiteBuilder extends SiteBuilder {
  readonly wanted: SiteSources[] = [];
  /** Names of the assets that were built. */
  readonly made: string[] = [];
  /** Builds wait for this promise after they have begun to bundle. */
  until: Promise<unknown> = Promise.resolve();
  /** Errors of the next builds. */
  failing: Error[] = [];

  /** @param builder builds sites until it is replaced */
  constructor(public builder: SiteBuilder = new QuickSiteBuilder()) {
    super();
  }

  override async build(sources: SiteSources, watcher: BuildWatcher): Promise<SiteBuild> {
    this.wanted.push(sources);
    watcher.reached('bundling', 0);
    await this.until;
    const error = this.failing.shift();
    if (error !== undefined) throw error;
    return this.builder.build(sources, {
      reached: watcher.reached,
      made: async (asset, bytes) => {
        this.made.push(asset.name);
        await watcher.made(asset, bytes);
      },
    });
  }

  override close = () => this.builder.close();
}

/**
 * A builder for tests of what follows a build. It uses each page's source as its script, at once. A page with `//
 * BROKEN` fails the build.
 */
export class InstantSiteBuilder extends SiteBuilder {
  override async build({ pages, known }: SiteSources, watcher: BuildWatcher): Promise<SiteBuild> {
    const broken = pages.find(({ source }) => source.includes('// BROKEN'));
    if (broken !== undefined) throw new SiteBuildFailed('The file has no default export.', broken.file, 1);
    const assets: SiteAsset[] = [];
    const asset = async (kind: 'css' | 'javascript', text: string, ids: SiteAsset['pages']) => {
      const plain = Buffer.from(text);
      const gzip = gzipSync(plain);
      const digest = createHash('sha256').update(plain).digest('hex');
      const name = `made-${digest.slice(0, 12)}.${kind === 'css' ? 'css' : 'js'}`;
      const key = `${kind} ${digest}`;
      const made: SiteAsset = {
        key,
        name,
        type: `text/${kind}; charset=utf-8`,
        digest,
        size: plain.length,
        gzip: gzip.length,
        pages: ids,
      };
      assets.push(made);
      if (!known.has(key)) await watcher.made(made, { plain, gzip });
      return name;
    };
    const start = await asset('javascript', 'start()', 'all');
    const built = [];
    for (const { id, path, source } of pages) {
      const script = await asset('javascript', `${source}\n// of ${id}`, [id]);
      const styles = await asset('css', `/* of ${id} */`, [id]);
      built.push({ id, path, script, styles, imports: [] });
    }
    return { pages: built, assets, start, renderer: '' };
  }

  override async close(): Promise<void> {}
}
