import type { Caller } from '../../kernel/caller.js';
import type { RecordedEvent } from '../../kernel/event.js';

/** How events of a trial are shown to whoever tried: as the audit would show them. */
export abstract class ShownEvents {
  /** Null where the caller may not read events of this kind. */
  abstract dataOf(caller: Caller, event: RecordedEvent): unknown;
}
