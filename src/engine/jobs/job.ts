import type { Environment } from '../../config/environment.js';
import type { DomainEvent } from '../../kernel/event/event.js';
import type { Clock } from '../../ports/clock.port.js';
import type { Leases } from '../../ports/leases.port.js';
import type { Consumer, Message, Messages } from '../../ports/messages.port.js';
import type { ReadStore } from '../../ports/read-store.port.js';
import type { Duty } from '../cluster/lease-keeper.js';
import type { Metrics } from '../health/metrics.js';
import type { LogHead } from '../messages/log-head.js';
import type { LostMessages } from '../messages/lost-messages.js';
import type { Watermark } from '../read-models/watermark.js';

/** An event by which work was accepted, with what its stream says. */
export type Accepted<Event extends DomainEvent> = Event extends DomainEvent
  ? Pick<Event, 'type' | 'data'> & {
      readonly workspaceId: string;
      /** The id of its stream. */
      readonly streamId: string;
      readonly revision: number;
      readonly position: number;
    }
  : never;

/**
 * Work that any process may do: it is accepted durably, handed over as a message by a saga, and done at least once.
 * Whether an attempt is to be made is for the work to find out: it may get a message twice, and one of work that is over.
 */
export interface Job<Work, Event extends DomainEvent = DomainEvent> {
  /** Brokers hold messages under it. */
  readonly topic: string;
  /** How many keys a process handles at once. */
  readonly concurrency: number | ((settings: Environment) => number);
  readonly accepted: {
    /** The name of the saga. Its checkpoint is kept under it. Jobs with streams of different categories may share one. */
    readonly saga: string;
    readonly category: string;
    readonly reads: readonly Event['type'][];
    /** Undefined: the event asks for nothing. */
    message(event: Accepted<Event>): Message | undefined;
  };
  /** The queue of its messages, and how it is found again what of it was lost. */
  queue(parts: JobParts, work: Work): Queue;
}

/** What a queue may use. */
export interface JobParts {
  readonly messages: Messages;
  readonly store: ReadStore;
  readonly watermark: Watermark;
  readonly head: LogHead;
  readonly lost: LostMessages;
  readonly clock: Clock;
  readonly leases: Leases;
  readonly metrics: Metrics;
}

export interface Queue {
  /** What one process does for all: it looks for work that others left or lost. */
  readonly settling?: Duty;
  /** Before messages are consumed. */
  begin?(stopping: AbortSignal): Promise<void>;
  /** Resolves when the message is done with. If it rejects, the message comes again after a pause. */
  handle(message: Message, stopping: AbortSignal): Promise<void>;
  /** See `Consumer.queued`. */
  readonly next?: Consumer['queued'] | undefined;
  /** Looks now for what was lost or is due. */
  recover?(): Promise<void>;
  /** At the beginning of a stop. Resolves when nothing is looked for any more. */
  end?(): Promise<void>;
}
