import type { DomainEvent } from '../../kernel/event/event.js';
import type { Aggregate } from '../../kernel/record/aggregate.js';
import type { ReadText, Text } from '../../kernel/text/text.js';
import type { ExclusiveSlot, RelatedChange } from './related-changes.js';
import type { RequestedName } from './reservation-requests.js';

/** What the command runner changes in one stream. */
export interface Change<State, Event extends DomainEvent> {
  readonly aggregate: Aggregate<State, Event>;
  readonly id: string;
  /** Whether the change creates the aggregate, whose id is then new. `perhaps` means that it may exist already. */
  readonly begins?: boolean | 'perhaps';
  /** Saves a read where this process alone writes the stream. It is read after a lost race, or if nothing is decided. */
  readonly trustsKnown?: true;
  /** Returns the texts of the state that the decision needs. If omitted, it needs none. */
  readonly reads?: (state: State) => readonly (Text | null | undefined)[];
  /** Returns the events of the change. Pure: it is called again after a lost race. @throws Refusal */
  decide(state: State, read: ReadText): readonly NoInfer<Event>[];
  /** Unique names that the change reserves. */
  readonly reserves?: (state: State) => readonly RequestedName[];
  /** Returns changes of other records. If an append is not one transaction, a crash can leave only these recorded. */
  alongside?(state: State, decided: readonly NoInfer<Event>[]): readonly RelatedChange[];
  /** Returns slots that the change takes away from the records that have them. */
  slots?(state: State, decided: readonly NoInfer<Event>[]): readonly ExclusiveSlot[];
}
