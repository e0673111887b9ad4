import type { Abstract, FactoryProvider } from '@nestjs/common';
import type { RecordedEvent } from '../../kernel/event/event.js';
import type { OperationContext } from '../operation/operation-context.js';

/**
 * A durable process that reads the log and reacts with commands. After a crash it may receive an event again. The
 * command ids of its calls are derived from the event, so reacting twice has no further effect. The read models it
 * queries include the event. If a reaction fails while all stores are available, it is retried a few times. Then the
 * event is parked: later events of its subject wait behind it, and all others continue. A parked event is retried at
 * intervals, when the saga starts, and when an operator requests it. While a store is unavailable, the saga waits and
 * parks nothing.
 */
export interface Saga {
  /** Kebab-case sentence: `removed-members-lose-their-keys`. Also the name of its checkpoint. */
  readonly name: string;
  readonly reads: readonly string[];
  /** Number of events handled concurrently. Events of one subject are always handled in order. Default: 1. */
  readonly atOnce?: number;
  /**
   * Returns the subject of an event. Events of one subject are handled in order. Default: the stream. Returns the
   * event's id if order does not matter.
   */
  subjectOf?(event: RecordedEvent): string;
  /**
   * Reacts to an event. `call(step)` makes the context of one command; the same step of the same event gets the same
   * command id.
   */
  react(event: RecordedEvent, call: (step: string) => OperationContext): Promise<void>;
  /**
   * Replaces `react` in a saga that handles many events together, in log order. If it rejects, they are delivered again
   * in halves, down to the one that fails. The saga itself must report to `ReadYourWrites` which positions its queries
   * have to include.
   */
  reactToAll?(events: readonly RecordedEvent[]): Promise<void>;
  /** Called before events are delivered from the checkpoint, which another process may have moved. */
  begins?(): void;
}

/** Returns a provider for a saga that a function makes from these services. */
export const sagaOf = <Parts extends readonly object[]>(
  make: (...parts: Parts) => Saga,
  ...parts: { readonly [At in keyof Parts]: Abstract<Parts[At]> }
): FactoryProvider<Saga> => ({ provide: make, inject: [...parts], useFactory: make });
