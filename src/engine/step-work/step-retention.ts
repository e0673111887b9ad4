import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Environment } from '../../config/environment.js';
import type { Document } from '../../kernel/projection.js';
import { streamOf } from '../../kernel/stream-name.js';
import { Clock } from '../../ports/clock.port.js';
import { ReadStore } from '../../ports/read-store.port.js';
import { systemActor } from '../calls.js';
import { Journal } from '../journal/journal.js';
import { LeaseKeeper, schedulerDuty } from '../lease-keeper.js';
import { StepKinds } from './step-kinds.js';
import { forgottenRuns, type LastStart, type StepRun } from './step-run.record.js';
import { StepStates } from './step-states.js';

type TriggerUse = Document & { readonly lastTriggered: string };

const dayMs = 24 * 3_600_000;
const atOnce = 200;
/** Limits the work per sweep, so that a long backlog does not delay other work. */
const rounds = 50;

/**
 * Removes runs past retention: first their journals are pruned, then that is recorded, so that the read model removes
 * them too. Earlier such records are no longer needed then.
 */
@Injectable()
export class StepRetention {
  constructor(
    private readonly kinds: StepKinds,
    private readonly store: ReadStore,
    private readonly journal: Journal,
    private readonly states: StepStates,
    private readonly clock: Clock,
    private readonly environment: Environment,
    private readonly keeper: LeaseKeeper,
  ) {}

  @Interval('step-run-retention', 3_600_000)
  async hourly(): Promise<void> {
    if (this.keeper.holds(schedulerDuty.name)) await this.sweep();
  }

  async sweep(): Promise<void> {
    const cutoff = new Date(this.clock.now() - this.environment.runRetentionDays * dayMs).toISOString();
    for (const { category, collection } of this.kinds.all) {
      for (let round = 0; round < rounds; round++) {
        const where = { status: { in: ['success', 'error'] }, createdAt: { lt: cutoff } };
        const sort = [['createdAt', 'asc']] as const;
        const old = await this.store.find<StepRun>(collection, { where, sort, limit: atOnce });
        for (const [workspaceId, runs] of Map.groupBy(old, (run) => run.workspaceId)) {
          await this.forget(category, workspaceId, runs);
        }
        if (old.length < atOnce) break;
      }
    }
  }

  private async forget(category: string, workspaceId: string, runs: readonly StepRun[]): Promise<void> {
    for (const run of runs) {
      await this.states.destroy(category, run, [run.state, run.claim]);
      await this.journal.prune(streamOf(category, workspaceId, run.id), run.revision);
    }
    const stream = streamOf(category, workspaceId, forgottenRuns);
    const last = (await this.journal.last(stream))?.revision ?? -1;
    const triggers = await this.lastStarts(category, workspaceId);
    const by = { workspaceId, actor: systemActor('run-retention'), operation: category };
    const event = { type: 'StepRunsForgotten', data: { runIds: runs.map(({ id }) => id), triggers } };
    await this.journal.forget({ stream, by, events: [event] }, last);
  }

  /** All last starts, because recording them replaces the earlier record. */
  private async lastStarts(category: string, workspaceId: string): Promise<readonly LastStart[]> {
    const uses = await this.store.find<TriggerUse>('triggerUses', { where: { workspaceId, category } });
    return uses.map(({ id, lastTriggered }) => ({ triggerId: id, at: lastTriggered }));
  }
}
