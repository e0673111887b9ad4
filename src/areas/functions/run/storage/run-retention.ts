import { Injectable } from '@nestjs/common';
import { type EntriesRule, JournalRetention } from '../../../../engine/retention/journal-retention.js';
import type { Sweep } from '../../../../engine/retention/retention.js';
import { streamOf } from '../../../../kernel/event/stream-name.js';
import type { Where } from '../../../../kernel/record/projection.js';
import { Clock } from '../../../../ports/clock.port.js';
import { ReadStore } from '../../../../ports/read-store.port.js';
import { Vault } from '../../../../ports/vault.port.js';
import { inputRetainedMs } from '../run.js';
import { type Run, runCategory, type TriggerUse } from '../run.record.js';
import { DeliveredFiles } from './delivered-files.api.js';
import { ForgottenRuns } from './forgotten-runs.api.js';

@Injectable()
export class RunRetention {
  readonly sweep: Sweep;
  private readonly rule: EntriesRule<Run>;

  constructor(
    private readonly retention: JournalRetention,
    store: ReadStore,
    vault: Vault,
    files: DeliveredFiles,
    clock: Clock,
    forgotten: ForgottenRuns,
  ) {
    this.rule = {
      name: 'run-retention',
      collection: 'runs',
      age: 'createdAt',
      over: { status: { in: ['success', 'error'] } },
      stream: ({ workspaceId, functionId }) => streamOf(runCategory, workspaceId, functionId),
      entries: { by: 'functionId', unfinished: { status: { in: ['queued', 'running'] } } },
      type: 'RunsForgotten',
      data: async (old, { throughRevision }) => {
        const { functionId, projectId } = old;
        const ends = projectId !== undefined && { endsKnownFrom: await forgotten.before(old, throughRevision) };
        const uses = await store.find<TriggerUse>('triggerUses', { where: { functionId } });
        return {
          throughRevision,
          triggers: uses.map(({ id, lastTriggered }) => ({ triggerId: id, at: lastTriggered })),
          ...ends,
        };
      },
      beside: async () => {
        await vault.sweep();
        await files.sweep(clock.now() - inputRetainedMs);
      },
    };
    this.sweep = retention.add(this.rule);
  }

  /**
   * Removes the runs of the function of `oldest`, oldest first. Stops at the first run that `retained` matches or that
   * has not ended.
   */
  forgetBefore(oldest: Run, retained?: Where): Promise<void> {
    return this.retention.forgetBefore(this.rule, oldest, retained);
  }
}
