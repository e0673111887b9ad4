import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { streamOf } from '../../kernel/event/stream-name.js';
import type { Document } from '../../kernel/record/projection.js';
import { ReadStore } from '../../ports/read-store.port.js';
import { Journal } from '../journal/journal.js';
import { systemActor } from '../operation/calls.js';
import { Retention, type Sweep } from '../retention/retention.js';
import { StepKinds } from './step-kinds.js';
import { forgottenRuns, type LastStart, type StepRun } from './step-run.record.js';
import { StepStates } from './step-states.js';

type TriggerUse = Document & { readonly lastTriggered: string };

/**
 * Removes ended runs when their retention is over. One event per workspace reports the removed runs to the read model,
 * and earlier such events are pruned.
 */
@Injectable()
export class StepRetention implements OnApplicationBootstrap {
  private sweeps: readonly Sweep[] = [];

  constructor(
    private readonly kinds: StepKinds,
    private readonly retention: Retention,
    private readonly store: ReadStore,
    private readonly journal: Journal,
    private readonly states: StepStates,
  ) {}

  /** All kinds of run are registered by now. */
  onApplicationBootstrap(): void {
    this.sweeps = this.kinds.all.map(({ category, collection }) =>
      this.retention.add<StepRun>({
        name: `${category}-retention`,
        collection,
        age: 'finishedAt',
        over: { status: { in: ['success', 'error'] } },
        key: ({ workspaceId }) => workspaceId,
        forget: (runs) => this.forget(category, runs[0].workspaceId, runs),
      }),
    );
  }

  async sweep(): Promise<void> {
    for (const sweep of this.sweeps) await sweep();
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

  private async lastStarts(category: string, workspaceId: string): Promise<readonly LastStart[]> {
    const uses = await this.store.find<TriggerUse>('triggerUses', { where: { workspaceId, category } });
    return uses.map(({ id, lastTriggered }) => ({ triggerId: id, at: lastTriggered }));
  }
}
