import { Injectable } from '@nestjs/common';
import type { Environment } from '../../config/environment.js';
import type { DomainEvent } from '../../kernel/event/event.js';
import { Clock } from '../../ports/clock.port.js';
import { Leases } from '../../ports/leases.port.js';
import { type Consumer, type Message, Messages } from '../../ports/messages.port.js';
import { ReadStore } from '../../ports/read-store.port.js';
import type { Duty } from '../cluster/lease-keeper.js';
import { Outages } from '../cluster/outages.js';
import { Metrics } from '../health/metrics.js';
import { LogHead } from '../messages/log-head.js';
import { LostMessages } from '../messages/lost-messages.js';
import { Watermark } from '../read-models/watermark.js';

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
 * A message may come twice, or after the work has ended; what is asked to make an attempt finds out and passes over it.
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
  /** Handles its messages, and recovers those that were lost. */
  queue(parts: JobParts, work: Work): Queue;
}

/** What queues are made with. */
@Injectable()
export class JobParts {
  constructor(
    readonly messages: Messages,
    readonly outages: Outages,
    readonly store: ReadStore,
    readonly watermark: Watermark,
    readonly head: LogHead,
    readonly lost: LostMessages,
    readonly clock: Clock,
    readonly leases: Leases,
    readonly metrics: Metrics,
  ) {}
}

export interface Queue {
  /** What one process does for all: it looks for work that others left or lost. */
  readonly settling?: Duty;
  /** Before messages are consumed. */
  begin?(stopping: AbortSignal): Promise<void>;
  /** Resolves when the message is done. If it rejects, the message comes again after a pause. */
  handle(message: Message, stopping: AbortSignal): Promise<void>;
  /** See `Consumer.queued`. */
  readonly next?: Consumer['queued'] | undefined;
  /** Looks now for what was lost or is due. */
  recover?(): Promise<void>;
  /** At the beginning of a stop. Resolves when nothing is looked for any more. */
  end?(): Promise<void>;
}
