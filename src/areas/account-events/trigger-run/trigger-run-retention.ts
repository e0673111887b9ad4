import { Injectable } from '@nestjs/common';
import { JournalRetention } from '../../../engine/retention/journal-retention.js';
import type { Sweep } from '../../../engine/retention/retention.js';
import { ReadStore } from '../../../ports/read-store.port.js';
import type { TriggerFiring, TriggerRun } from './trigger-run.record.js';
import { journalOf } from './trigger-run.record.js';

/** Time after which ended trigger runs are removed (settled question Q-E22). */
const retainedMs = 30 * 24 * 3_600_000;

@Injectable()
export class TriggerRunRetention {
  readonly sweep: Sweep;

  constructor(retention: JournalRetention, store: ReadStore) {
    this.sweep = retention.add<TriggerRun>({
      name: 'trigger-run-retention',
      collection: 'triggerRuns',
      age: 'createdAt',
      over: { status: { in: ['ok', 'failed', 'skipped'] } },
      retainedMs,
      stream: ({ workspaceId }) => journalOf(workspaceId),
      entries: { by: 'workspaceId', unfinished: { status: 'queued' } },
      type: 'TriggerRunsForgotten',
      counts: true,
      data: async ({ workspaceId }, { throughRevision }) => {
        const firings = await store.find<TriggerFiring>('triggerFirings', { where: { workspaceId } });
        const fired = firings.map(({ id, count, lastFiredAt }) => ({ triggerId: id, count, lastFiredAt }));
        return { throughRevision, fired };
      },
    });
  }
}
