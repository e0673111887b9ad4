import type { Abstract, FactoryProvider } from '@nestjs/common';
import type { RecordedEvent } from '../../kernel/event/event.js';
import type { Call } from '../operation/call.js';

/**
 * A durable process that reads the log and reacts with commands. After a crash it may get an event again; the call it gets
 * has a command id derived from the event, so that reacting twice has no further effect. The read models it queries
 * include the event.
 *
 * If a reaction fails although every store is there, it is tried a few times. Then the event is parked, and later events
 * of its subject wait behind it; all others go on. A parked event is tried again now and then, when the saga starts, and
 * when an operator asks for it. While a store is away the saga waits for it; that never parks anything.
 */
export interface Saga {
  /** A sentence, kebab-case: `removed-members-lose-their-keys`. Its checkpoint is kept under this name. */
  readonly name: string;
  readonly reads: readonly string[];
  /** How many events are handled concurrently; those of one subject one after the other. Default: 1. */
  readonly atOnce?: number;
  /** What must be reacted to in order. Default: the stream. The event's id where no order matters. */
  subjectOf?(event: RecordedEvent): string;
  /** `call(step)` makes the `Call` of one command; the same step of the same event gives the same command id. */
  react(event: RecordedEvent, call: (step: string) => Call): Promise<void>;
  /**
   * Replaces `react` for a saga that handles many events together, in log order. If it rejects, they are delivered again
   * in halves, until the one that fails stands alone. It must tell the watermark itself which positions its queries have
   * to include.
   */
  reactToAll?(events: readonly RecordedEvent[]): Promise<void>;
  /** Called before events are delivered from the checkpoint, which another process may have moved. */
  begins?(): void;
}

/** A provider of the saga that a function makes of these parts of the service. */
export const sagaOf = <Parts extends readonly object[]>(
  make: (...parts: Parts) => Saga,
  ...parts: { readonly [At in keyof Parts]: Abstract<Parts[At]> }
): FactoryProvider<Saga> => ({ provide: make, inject: [...parts], useFactory: make });
