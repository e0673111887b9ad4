import { Injectable } from '@nestjs/common';
import { type JournalEntry as Entry, Journal } from '../../../engine/journal/journal.js';
import { systemActor } from '../../../engine/operation/calls.js';
import type { Appended, AppendOptions } from '../../../ports/event-store.port.js';
import { journalOf, type RecordedTriggerRunEvent, type TriggerRunEvent } from './trigger-run.record.js';

export interface TriggerJournalEntry {
  readonly workspaceId: string;
  /** The id of the journal event is derived from this text, so the entry is written only once. */
  readonly once: string;
  readonly event: TriggerRunEvent;
  readonly operation: string;
  /** The default is the id of the journal event itself. */
  readonly correlationId?: string;
  readonly causationId?: string;
}

@Injectable()
export class TriggerRunJournal {
  constructor(private readonly journal: Journal) {}

  /** The entries are durable when the promise resolves. */
  write(entries: readonly TriggerJournalEntry[], options: AppendOptions = {}): Promise<readonly Appended[]> {
    return this.journal.appendAll(entries.map(entryOf), options);
  }

  /** If two processes tried to write the entry, returns the one that was written first. */
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
