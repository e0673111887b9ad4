import type { Caller } from '../../kernel/callers/caller.js';
import type { RecordedEvent } from '../../kernel/event/event.js';
import type { Difference } from '../../kernel/record/difference.js';

export interface TriedChange {
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  readonly stream: string;
  readonly base: number;
  readonly sentences: readonly string[];
  /** Contains personal values in sealed form. Empty if the record is deleted. */
  readonly changes: readonly Difference[];
}

export abstract class ShownEvents {
  /** Returns null if the caller may not read events of this kind. */
  abstract dataOf(caller: Caller, event: RecordedEvent): unknown;

  /**
   * Returns one entry per changed record, in the order of the records' first events. Approval cards are left out,
   * because they change nothing yet. Must be called outside of the dry run.
   */
  abstract changesOf(workspaceId: string, events: readonly RecordedEvent[]): Promise<readonly TriedChange[]>;
}
