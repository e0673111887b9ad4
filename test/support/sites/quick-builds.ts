import { ChildProcessSiteBuilder } from '../../../src/adapters/site-builder/child-process/child-process-site-builder.adapter.js';
import {
  type AssetBytes,
  type BuildWatcher,
  type SiteAsset,
  type SiteBuild,
  SiteBuilder,
  type SiteSources,
} from '../../../src/ports/offloaded/site-builder.port.js';

interface Kept {
  readonly asset: SiteAsset;
  readonly bytes: AssetBytes;
}

/** The platform's own scripts by key. A worker retains them, although it loads this file again for each spec file. */
const ofWorker = globalThis as { platformScripts?: Map<string, Kept> };
ofWorker.platformScripts ??= new Map();
const { platformScripts } = ofWorker;

/**
 * The service's own builder, but the platform's scripts are compressed once for all sites, because that takes most of
 * the time of a site's first build.
 */
export class QuickSiteBuilder extends SiteBuilder {
  private readonly builder = new ChildProcessSiteBuilder();

  override async build(sources: SiteSources, watcher: BuildWatcher): Promise<SiteBuild> {
    const kept = new Map(platformScripts);
    const ofPlatform = [...kept].map(([key, { asset }]) => [key, asset] as const);
    const known = new Map([...ofPlatform, ...sources.known]);
    const site = await this.builder.build(
      { ...sources, known },
      {
        reached: watcher.reached,
        made: async (asset, bytes) => {
          if (asset.pages === 'all') platformScripts.set(asset.key, { asset, bytes });
          await watcher.made(asset, bytes);
        },
      },
    );
    for (const { key } of site.assets) {
      const one = kept.get(key);
      if (one !== undefined && !sources.known.has(key)) await watcher.made(one.asset, one.bytes);
    }
    return site;
  }

  override close = () => this.builder.close();
}

export const quickBuilds = { provide: SiteBuilder, useFactory: () => new QuickSiteBuilder() };
