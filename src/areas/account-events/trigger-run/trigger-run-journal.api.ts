import { Injectable } from '@nestjs/common';
import { type JournalEntry as Entry, Journal } from '../../../engine/journal/journal.js';
import { systemActor } from '../../../engine/operation/calls.js';
import type { Appended, AppendOptions } from '../../../ports/event-store.port.js';
import { journalOf, type RecordedTriggerRunEvent, type TriggerRunEvent } from './trigger-run.record.js';

/** An entry of a workspace's journal. */
export interface TriggerJournalEntry {
  readonly workspaceId: string;
  /** Identifies the entry. The id of the journal event is derived from this text, so the entry is written only once. */
  readonly once: string;
  readonly event: TriggerRunEvent;
  /** Name of the saga that writes the entry. */
  readonly operation: string;
  /** If omitted, the id of the journal event itself. */
  readonly correlationId?: string;
  /** If omitted, null. */
  readonly causationId?: string;
}

/** Writes the journal of trigger runs. Each entry is written only once. */
@Injectable()
export class TriggerRunJournal {
  constructor(private readonly journal: Journal) {}

  /** Writes the entries in order, and resolves to their revisions when all are durable. */
  write(entries: readonly TriggerJournalEntry[], options: AppendOptions = {}): Promise<readonly Appended[]> {
    return this.journal.appendAll(entries.map(entryOf), options);
  }

  /**
   * Returns the entry at this revision. If two processes tried to write the entry, it is the one that was written
   * first.
   */
  async at(workspaceId: string, revision: number): Promise<RecordedTriggerRunEvent | undefined> {
    return (await this.journal.at(journalOf(workspaceId), revision)) as RecordedTriggerRunEvent | undefined;
  }
}

function entryOf({ workspaceId, once, event, ...by }: TriggerJournalEntry): Entry {
  return {
    stream: journalOf(workspaceId),
    by: { workspaceId, actor: systemActor(by.operation), ...by },
    events: [{ ...event, once }],
  };
}
