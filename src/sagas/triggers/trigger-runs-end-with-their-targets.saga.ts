import { Injectable } from '@nestjs/common';
import { runEndOf, runEndTypes } from '../../areas/account-events/trigger-run/run-ends.api.js';
import { isTriggerRun, type TriggerRunEnd } from '../../areas/account-events/trigger-run/trigger-run.record.js';
import {
  type TriggerJournalEntry,
  TriggerRunJournal,
} from '../../areas/account-events/trigger-run/trigger-run-journal.api.js';
import type { Saga } from '../../engine/sagas/saga.js';
import type { RecordedEvent } from '../../kernel/event/event.js';

/**
 * Records the ends of runs that triggers started. Ends that are handled together are recorded in one event per
 * workspace. After a crash, an end may be recorded again; only the first record has an effect.
 */
@Injectable()
export class TriggerRunsEndWithTheirTargets implements Saga {
  readonly name = 'trigger-runs-end-with-their-targets';
  readonly reads = runEndTypes;

  constructor(private readonly journal: TriggerRunJournal) {}

  subjectOf({ id }: RecordedEvent): string {
    return id;
  }

  async react(event: RecordedEvent): Promise<void> {
    await this.reactToAll([event]);
  }

  async reactToAll(events: readonly RecordedEvent[]): Promise<void> {
    const ended = events.flatMap((event) => {
      const end = runEndOf(event);
      return end !== undefined && isTriggerRun(end.runId) ? [{ event, end }] : [];
    });
    const byWorkspace = Map.groupBy(ended, ({ event }) => event.metadata.workspaceId);
    await this.journal.write(
      [...byWorkspace].map(([workspaceId, ends]) =>
        this.entry(
          workspaceId,
          ends.map(({ event }) => event.id),
          ends.map(({ end }) => end),
        ),
      ),
      // If several runs end at once, more are likely to follow, so the append may wait for them.
      { mayBatch: ended.length > 1 },
    );
  }

  private entry(workspaceId: string, causes: readonly string[], runs: readonly TriggerRunEnd[]): TriggerJournalEntry {
    const once = `${this.name}/${causes.join('/')}`;
    const event = { type: 'TriggerRunsEnded', data: { runs } } as const;
    return { workspaceId, once, event, operation: this.name };
  }
}
