import type { DomainEvent } from '../../kernel/event/event.js';
import type { Aggregate } from '../../kernel/record/aggregate.js';
import type { ReadText, Text } from '../../kernel/text/text.js';
import type { ExclusiveSlot, RelatedChange } from './related-changes.js';
import type { RequestedName } from './reservation-requests.js';

/** A change of one stream, as the command runner carries it out. */
export interface Change<State, Event extends DomainEvent> {
  readonly aggregate: Aggregate<State, Event>;
  readonly id: string;
  /**
   * Whether the change creates the aggregate, under a new id. `perhaps` means that the aggregate may already exist. If
   * omitted, a missing aggregate is refused.
   */
  readonly begins?: boolean | 'perhaps';
  /**
   * Set if usually only this process writes the stream. The change is then decided on the cached state first, without
   * reading the stream. If another append came first, or nothing was decided, the stream is read and the change is
   * decided again.
   */
  readonly trustsKnown?: true;
  /** Returns the texts of the state that the decision reads. If omitted, it reads none. */
  readonly reads?: (state: State) => readonly (Text | null | undefined)[];
  /**
   * Returns the events to record. Must be pure, because it is called again if another append came first.
   * @throws Refusal
   */
  decide(state: State, read: ReadText): readonly NoInfer<Event>[];
  /** Returns the unique names that the change reserves. */
  readonly reserves?: (state: State) => readonly RequestedName[];
  /**
   * Returns changes of other records. They are recorded before the main change. So if an append is not one transaction,
   * a crash can leave only these changes recorded, but never only the main one.
   */
  alongside?(state: State, decided: readonly NoInfer<Event>[]): readonly RelatedChange[];
  /** Returns the slots that the change takes for its record, possibly from other records. */
  slots?(state: State, decided: readonly NoInfer<Event>[]): readonly ExclusiveSlot[];
}
