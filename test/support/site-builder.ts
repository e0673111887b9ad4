import { ChildProcessSiteBuilder } from '../../src/adapters/site-builder/child-process/child-process-site-builder.adapter.js';
import {
  type BuildWatcher,
  type SiteBuild,
  SiteBuilderBusy,
  type SiteSources,
} from '../../src/ports/site-builder.port.js';

/** The builder of the service, watched, held up and lost as a test wants it. */
export class WatchedSiteBuilder extends ChildProcessSiteBuilder {
  readonly wanted: SiteSources[] = [];
  /** Names of the assets that were made. */
  readonly made: string[] = [];
  /** What builds wait for when they have begun to bundle. */
  until: Promise<unknown> = Promise.resolve();
  /** So many builds from now on are lost. */
  losing = 0;

  override async build(sources: SiteSources, watcher: BuildWatcher): Promise<SiteBuild> {
    this.wanted.push(sources);
    watcher.reached('bundling', 0);
    await this.until;
    if (this.losing-- > 0) throw new SiteBuilderBusy('Lost.');
    return super.build(sources, {
      reached: watcher.reached,
      made: async (asset, bytes) => {
        this.made.push(asset.name);
        await watcher.made(asset, bytes);
      },
    });
  }
}
