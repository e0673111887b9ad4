import type { Caller } from '../../kernel/callers/caller.js';
import type { RecordedEvent } from '../../kernel/event/event.js';
import type { Difference } from '../../kernel/record/difference.js';

export interface TriedChange {
  /** Category of the record's stream. */
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  readonly stream: string;
  /** Revision of the record before the dry run; -1: the dry run created it. */
  readonly base: number;
  /** One per event, without a full stop. */
  readonly sentences: readonly string[];
  /** Personal values are sealed. Empty where the record is deleted. */
  readonly changes: readonly Difference[];
}

/** Shows the events of a dry run as the audit log would. */
export abstract class ShownEvents {
  /** Null where the caller may not read events of this kind. */
  abstract dataOf(caller: Caller, event: RecordedEvent): unknown;

  /**
   * One entry a record, in the order of first events, without cards, which change nothing. Call it outside the dry run.
   */
  abstract changesOf(workspaceId: string, events: readonly RecordedEvent[]): Promise<readonly TriedChange[]>;
}
