import type { Caller } from '../../kernel/callers/caller.js';
import type { RecordedEvent } from '../../kernel/event/event.js';
import type { Difference } from '../../kernel/record/difference.js';

/** What a trial did to one record. */
export interface TriedChange {
  /** Category of the record's stream. */
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  readonly stream: string;
  /** Revision of the record that the trial found; -1: the trial began it. */
  readonly base: number;
  /** One for each event, without a full stop. */
  readonly sentences: readonly string[];
  /** Personal values are sealed. Empty where the record ends. */
  readonly changes: readonly Difference[];
}

/** How the audit would show the events of a trial. */
export abstract class ShownEvents {
  /** Null where the caller may not read events of this kind. */
  abstract dataOf(caller: Caller, event: RecordedEvent): unknown;

  /** By record, in the order of their first events; cards, which change nothing, are left out. Called outside the trial. */
  abstract changesOf(workspaceId: string, events: readonly RecordedEvent[]): Promise<readonly TriedChange[]>;
}
