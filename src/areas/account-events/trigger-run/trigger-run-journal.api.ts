import { Injectable } from '@nestjs/common';
import { type JournalEntry as Entry, Journal } from '../../../engine/journal/journal.js';
import { systemActor } from '../../../engine/operation/calls.js';
import type { Appended, AppendOptions } from '../../../ports/event-store.port.js';
import { journalOf, type RecordedTriggerRunEvent, type TriggerRunEvent } from './trigger-run.record.js';

/** An entry of a workspace's journal. */
export interface TriggerJournalEntry {
  readonly workspaceId: string;
  /** The event's id is derived from this text, which identifies the entry. */
  readonly once: string;
  readonly event: TriggerRunEvent;
  /** The writer: a saga's name. */
  readonly operation: string;
  /** Default: the event's own id. */
  readonly correlationId?: string;
  /** Default: null. */
  readonly causationId?: string;
}

/** Writes what triggers did. Idempotent per entry. */
@Injectable()
export class TriggerRunJournal {
  constructor(private readonly journal: Journal) {}

  /** Writes the entries in sequence and resolves to the revision of each when all are durable. */
  write(entries: readonly TriggerJournalEntry[], options: AppendOptions = {}): Promise<readonly Appended[]> {
    return this.journal.appendAll(entries.map(entryOf), options);
  }

  /** Returns the entry at this revision. If two processes wrote it, returns the first one's. */
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
