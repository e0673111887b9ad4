import type { Abstract, FactoryProvider } from '@nestjs/common';
import type { RecordedEvent } from '../../kernel/event/event.js';
import type { OperationContext } from '../operation/operation-context.js';

/**
 * A durable process that reads events from the log and reacts with commands. After a crash an event may be delivered
 * again. The command ids are derived from the event, so a second reaction has no further effect. The read models that a
 * reaction queries include the event. If a reaction fails although all stores are available, it is tried again a few
 * times, and then the event is parked. Later events of its subject wait for it; all other events continue. A parked
 * event is tried again at intervals, when the saga starts, and when an operator requests it. While a store is
 * unavailable, the saga waits and parks nothing.
 */
export interface Saga {
  /**
   * The saga's purpose as a sentence in kebab case, e.g. `removed-members-lose-their-keys`. Also the name of its
   * checkpoint.
   */
  readonly name: string;
  readonly reads: readonly string[];
  /**
   * Maximum number of events that are handled concurrently. Events of one subject are always handled in order. Default:
   * 1.
   */
  readonly atOnce?: number;
  /**
   * Returns the subject of an event; events of the same subject are handled in order. Default: the event's stream. If
   * order does not matter, an implementation returns the event's id.
   */
  subjectOf?(event: RecordedEvent): string;
  /**
   * Reacts to an event. `call(step)` returns the context of one command. Its command id is derived from the event and
   * the step.
   */
  react(event: RecordedEvent, call: (step: string) => OperationContext): Promise<void>;
  /**
   * Reacts to many events together, in log order; replaces `react`. If it rejects, it is called again with each half of
   * the events, down to the one that fails. An implementation must itself call `ReadYourWrites.observed` with the
   * positions that its queries must include.
   */
  reactToAll?(events: readonly RecordedEvent[]): Promise<void>;
  /**
   * Called before the first event after the checkpoint is delivered. Another process may have run the saga since this
   * one last did, so an implementation drops its cached state here.
   */
  begins?(): void;
}

/** Returns the provider of a saga that `make` creates from these services. */
export const sagaOf = <Parts extends readonly object[]>(
  make: (...parts: Parts) => Saga,
  ...parts: { readonly [At in keyof Parts]: Abstract<Parts[At]> }
): FactoryProvider<Saga> => ({ provide: make, inject: [...parts], useFactory: make });
