import type { DomainEvent } from '../../kernel/event/event.js';
import type { Aggregate } from '../../kernel/record/aggregate.js';
import type { ReadText, Text } from '../../kernel/text/text.js';
import type { ExclusiveSlot, RelatedChange } from './related-changes.js';
import type { RequestedName } from './reservation-requests.js';

export interface Change<State, Event extends DomainEvent> {
  readonly aggregate: Aggregate<State, Event>;
  readonly id: string;
  /** `perhaps` means that the aggregate may already exist. If omitted, a missing aggregate is refused. */
  readonly begins?: boolean | 'perhaps';
  /**
   * Set if usually only this process writes the stream. The change is then decided on the cached state first, without
   * reading the stream.
   */
  readonly trustsKnown?: true;
  readonly reads?: (state: State) => readonly (Text | null | undefined)[];
  /**
   * Returns the events to record. Must be pure, because it is called again if the stream has changed before the append.
   * @throws Refusal
   */
  decide(state: State, read: ReadText): readonly NoInfer<Event>[];
  readonly reserves?: (state: State) => readonly RequestedName[];
  /**
   * These changes are recorded before the main change, so a crash can leave only these changes recorded, but never only
   * the main one.
   */
  alongside?(state: State, decided: readonly NoInfer<Event>[]): readonly RelatedChange[];
  slots?(state: State, decided: readonly NoInfer<Event>[]): readonly ExclusiveSlot[];
}
