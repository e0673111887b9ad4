import type { Abstract, FactoryProvider } from '@nestjs/common';
import type { RecordedEvent } from '../../kernel/event/event.js';
import type { OperationContext } from '../operation/operation-context.js';

/**
 * Reads events from the log and reacts with commands. After a crash an event can be delivered again; the command ids
 * are derived from the event, so a second reaction has no further effect. If a reaction fails although all stores are
 * available, it is tried again a few times, and then the event is parked: later events of its subject wait for it, and
 * all other events continue.
 */
export interface Saga {
  /** A sentence in kebab case, e.g. `removed-members-lose-their-keys`. The saga's checkpoint has the same name. */
  readonly name: string;
  readonly reads: readonly string[];
  /** Maximum number of events that are handled concurrently. Default: 1. */
  readonly atOnce?: number;
  /**
   * Set if reacting to old events again would do harm, e.g. because retention has pruned the journals that show what
   * was started for them. If the read store has no checkpoint of the saga, because the store is new or was lost, the
   * saga then begins with the last hour of the log, and with at most its last 5,000 events. Every other saga begins
   * with the first event, and so does this one if no process ran sagas before that hour.
   */
  readonly skipsHistory?: true;
  /**
   * Events of the same subject are handled in order. Default: the event's stream. If order does not matter, an
   * implementation returns the event's id.
   */
  subjectOf?(event: RecordedEvent): string;
  /**
   * The command id of `call(step)` is derived from the event and the step. Read models that the reaction queries
   * include the event.
   */
  react(event: RecordedEvent, call: (step: string) => OperationContext): Promise<void>;
  /**
   * Replaces `react`. If it rejects, it is called again with each half of the events, down to the one that fails. An
   * implementation must itself call `ReadYourWrites.observed` with the positions that its queries must include.
   */
  reactToAll?(events: readonly RecordedEvent[]): Promise<void>;
  /**
   * Called before the first event after the checkpoint is delivered. Another process may have run the saga in between,
   * so an implementation drops its cached state here.
   */
  begins?(): void;
}

export const sagaOf = <Parts extends readonly object[]>(
  make: (...parts: Parts) => Saga,
  ...parts: { readonly [At in keyof Parts]: Abstract<Parts[At]> }
): FactoryProvider<Saga> => ({ provide: make, inject: [...parts], useFactory: make });
