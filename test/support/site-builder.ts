import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import {
  type BuildWatcher,
  type SiteAsset,
  type SiteBuild,
  SiteBuilder,
  SiteBuilderBusy,
  SiteBuildFailed,
  type SiteSources,
} from '../../src/ports/site-builder.port.js';

/** Makes one script and one style sheet a page. */
export class SiteBuilderInMemory extends SiteBuilder {
  readonly made: string[] = [];
  /** What the next builds wait for. */
  until: Promise<unknown> = Promise.resolve();
  readonly wanted: SiteSources[] = [];
  /** So many builds from now on are lost. */
  losing = 0;

  override async build(sources: SiteSources, watcher: BuildWatcher): Promise<SiteBuild> {
    this.wanted.push(sources);
    watcher.reached('checking', 0);
    watcher.reached('bundling', 0);
    await this.until;
    if (this.losing-- > 0) throw new SiteBuilderBusy('Lost.');
    const broken = sources.pages.find(({ source }) => source.includes('BROKEN'));
    if (broken) throw new SiteBuildFailed('This cannot be built.', broken.file, 2);
    watcher.reached('styling', 0);
    const assets: SiteAsset[] = [];
    const pages = [];
    for (const { id, path, source, isOpen } of sources.pages) {
      const script = await this.asset(sources, watcher, 'js', 'text/javascript; charset=utf-8', source, [id]);
      const style = await this.asset(sources, watcher, 'css', 'text/css; charset=utf-8', `.a{}${path}`, [id]);
      assets.push(script, style);
      const server = isOpen
        ? {
            server: `const page = ${JSON.stringify(source)}; if (page.includes('LOOP')) for (;;); if (page.includes('THROW')) throw new Error('no');`,
          }
        : {};
      pages.push({ id, path, script: script.name, imports: [], styles: style.name, ...server });
    }
    const renderer = 'const renderPage = ({ path }) => "<main>" + path + "</main>";';
    return { pages, assets, start: assets[0]?.name ?? '', renderer };
  }

  override async close(): Promise<void> {}

  private async asset(
    { known }: SiteSources,
    watcher: BuildWatcher,
    ending: string,
    type: string,
    text: string,
    pages: readonly string[],
  ): Promise<SiteAsset> {
    const plain = Buffer.from(text);
    const digest = hash('sha256', plain, 'hex');
    const gzip = gzipSync(plain);
    const name = `page-${digest.slice(0, 8)}.${ending}`;
    const asset = { key: digest, name, type, digest, size: plain.length, gzip: gzip.length, pages };
    const before = known.get(digest);
    if (before === undefined) {
      this.made.push(name);
      await watcher.made(asset, { plain, gzip });
    }
    return { ...asset, ...before };
  }
}
