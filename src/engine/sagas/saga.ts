import type { Abstract, FactoryProvider } from '@nestjs/common';
import type { RecordedEvent } from '../../kernel/event/event.js';
import type { OperationContext } from '../operation/operation-context.js';

/**
 * A durable process that reads the log and reacts with commands. After a crash it may get an event again; the command
 * ids of its calls are derived from the event, so that reacting twice has no further effect. The read models it queries
 * include the event.
 *
 * If a reaction fails while all stores are available, it is tried a few times. Then the event is parked, and later
 * events of its subject wait behind it; all others go on. A parked event is retried at intervals, when the saga starts,
 * and when an operator requests it. While a store is unavailable the saga waits; nothing is parked because of that.
 */
export interface Saga {
  /** A sentence, kebab-case: `removed-members-lose-their-keys`. Also the name of its checkpoint. */
  readonly name: string;
  readonly reads: readonly string[];
  /** How many events are handled concurrently; events of one subject are handled in order. Default: 1. */
  readonly atOnce?: number;
  /** Events of one subject are handled in order. Default: the stream. The event's id if order does not matter. */
  subjectOf?(event: RecordedEvent): string;
  /** `call(step)` makes the context of one command; the same step of the same event gives the same command id. */
  react(event: RecordedEvent, call: (step: string) => OperationContext): Promise<void>;
  /**
   * Replaces `react` for a saga that handles many events together, in log order. If it rejects, they are delivered
   * again in halves, down to the one that fails. It must tell `ReadYourWrites` itself which positions its queries have to
   * include.
   */
  reactToAll?(events: readonly RecordedEvent[]): Promise<void>;
  /** Called before events are delivered from the checkpoint, which another process may have moved. */
  begins?(): void;
}

/** A provider for a saga that a function makes from these services. */
export const sagaOf = <Parts extends readonly object[]>(
  make: (...parts: Parts) => Saga,
  ...parts: { readonly [At in keyof Parts]: Abstract<Parts[At]> }
): FactoryProvider<Saga> => ({ provide: make, inject: [...parts], useFactory: make });
