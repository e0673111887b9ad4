import { Injectable } from '@nestjs/common';
import { ReadModels } from '../../../engine/read-models/read-models.js';
import { ReadYourWrites } from '../../../engine/read-models/read-your-writes.js';
import { Retention, type Sweep } from '../../../engine/retention/retention.js';
import { Clock } from '../../../ports/clock.port.js';
import { EventStore } from '../../../ports/event-store.port.js';
import { GitRepositories } from '../../../ports/offloaded/git-repositories.port.js';
import { ReadStore } from '../../../ports/read-store.port.js';
import type { SiteRepository } from './git-repository.record.js';

/**
 * Packs that were stored more recently than this are not removed. Commands store packs before they record the event
 * that names them, and none takes this long. Packs that were joined into a larger pack within this time are not removed
 * either, because another process may still read them.
 */
const youngMs = 24 * 3_600_000;
const collection = 'gitRepositories';

@Injectable()
export class PackSweep {
  readonly sweep: Sweep;

  constructor(
    retention: Retention,
    private readonly store: ReadStore,
    private readonly git: GitRepositories,
    private readonly events: EventStore,
    private readonly models: ReadModels,
    private readonly readYourWrites: ReadYourWrites,
    private readonly clock: Clock,
  ) {
    this.sweep = retention.addSweep('git-pack-sweep', () => this.removeUnnamed());
  }

  private async removeUnnamed(): Promise<void> {
    if (!(await this.knowsAllRepositories())) return;
    await this.git.removeUnnamed(this.clock.now() - youngMs, async (workspaceId, id) => {
      const found = await this.store.get<SiteRepository>(collection, id);
      return found?.workspaceId === workspaceId ? found.packs : [];
    });
  }

  /**
   * False if the read model is being rebuilt or lags behind. It may then lack repositories, whose packs would be
   * removed by mistake.
   */
  private async knowsAllRepositories(): Promise<boolean> {
    const head = await this.events.head();
    const model = this.models.builderOf(collection);
    if (model === undefined) return false;
    this.readYourWrites.observed(head);
    await this.readYourWrites.current(model);
    return this.readYourWrites.taken(model) >= head;
  }
}
