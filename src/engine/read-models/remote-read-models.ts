import { Injectable } from '@nestjs/common';
import { Clock } from '../../ports/clock.port.js';
import { ReadStore } from '../../ports/read-store.port.js';
import { LeaseKeeper } from '../cluster/lease-keeper.js';
import { ReadModels } from './read-models.js';
import { ReadYourWrites } from './read-your-writes.js';

const pauseMs = 4;
const pauseAfterFailureMs = 500;
const buildKnownMs = 1_000;

interface ActiveBuild {
  readonly generation: string;
  readonly until: number;
}

/** Polls the checkpoints of read models that other processes build, while readers of this process wait for them. */
@Injectable()
export class RemoteReadModels {
  private readonly polling = new Set<string>();
  private readonly builds = new Map<string, ActiveBuild>();

  constructor(
    private readonly store: ReadStore,
    private readonly readYourWrites: ReadYourWrites,
    private readonly keeper: LeaseKeeper,
    private readonly clock: Clock,
    private readonly models: ReadModels,
  ) {
    readYourWrites.onRequest((projection) => {
      if (this.polling.has(projection) || keeper.holds(models.dutyOf(projection))) return;
      this.polling.add(projection);
      void this.follow(projection).finally(() => this.polling.delete(projection));
    });
  }

  /**
   * The reported position can be higher than the stored checkpoint, because the checkpoint is not written for every
   * skipped event.
   */
  reported(projection: string, position: number): void {
    const isElsewhere = !this.keeper.holds(this.models.dutyOf(projection));
    if (isElsewhere && position > this.readYourWrites.taken(projection))
      this.readYourWrites.moved(projection, position);
  }

  private async follow(projection: string): Promise<void> {
    while (this.readYourWrites.awaited(projection)) {
      const pause = await this.poll(projection).then(
        () => pauseMs,
        () => pauseAfterFailureMs,
      );
      await new Promise<void>((resolve) => this.clock.after(pause, resolve));
    }
  }

  private async poll(projection: string): Promise<void> {
    const generation = await this.generationOf(projection);
    if (generation !== undefined) this.reported(projection, await this.store.checkpoint({ projection, generation }));
  }

  private async generationOf(projection: string): Promise<string | undefined> {
    const now = this.clock.now();
    const known = this.builds.get(projection);
    if (known !== undefined && known.until > now) return known.generation;
    const generation = await this.store.active(projection);
    if (generation !== undefined) this.builds.set(projection, { generation, until: now + buildKnownMs });
    return generation;
  }
}
