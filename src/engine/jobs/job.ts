import { Injectable } from '@nestjs/common';
import type { Environment } from '../../config/environment.js';
import type { DomainEvent } from '../../kernel/event/event.js';
import { Clock } from '../../ports/clock.port.js';
import { Leases } from '../../ports/leases.port.js';
import { type Consumer, type Message, Messages } from '../../ports/messages.port.js';
import { ReadStore } from '../../ports/read-store.port.js';
import type { Duty } from '../cluster/lease-keeper.js';
import { StoreRetry } from '../cluster/store-retry.js';
import { Metrics } from '../health/metrics.js';
import { LogHead } from '../messages/log-head.js';
import { MessageRecovery } from '../messages/message-recovery.js';
import { ReadYourWrites } from '../read-models/read-your-writes.js';

/** An event that accepted work, with the id and the revision of its stream. */
export type Accepted<Event extends DomainEvent> = Event extends DomainEvent
  ? Pick<Event, 'type' | 'data'> & {
      readonly workspaceId: string;
      readonly streamId: string;
      readonly revision: number;
      readonly position: number;
    }
  : never;

/**
 * Work that any process may do. An event accepts it durably, a saga hands it over as a message, and it is done at least
 * once. A message may be delivered twice or after the work has ended; the attempt detects that and ignores it.
 */
export interface Job<Work, Event extends DomainEvent = DomainEvent> {
  readonly topic: string;
  /**
   * All processes work on the same key at once, and claims in the log divide its work: each process hands over to itself
   * what the read model shows, without a broker.
   */
  readonly isShared?: true;
  /** Number of keys that a process handles concurrently. */
  readonly concurrency: number | ((settings: Environment) => number);
  readonly accepted: {
    /** Name of the saga and of its checkpoint. Jobs whose streams have different categories may share a saga. */
    readonly saga: string;
    readonly category: string;
    readonly reads: readonly Event['type'][];
    /** Returns undefined if the event requires no work. */
    message(event: Accepted<Event>): Message | undefined;
  };
  /** Creates the queue that handles the job's messages and recovers lost ones. */
  queue(parts: JobParts, work: Work): Queue;
}

@Injectable()
export class JobParts {
  constructor(
    readonly messages: Messages,
    readonly storeRetry: StoreRetry,
    readonly store: ReadStore,
    readonly readYourWrites: ReadYourWrites,
    readonly head: LogHead,
    readonly lost: MessageRecovery,
    readonly clock: Clock,
    readonly leases: Leases,
    readonly metrics: Metrics,
  ) {}
}

export interface Queue {
  /**
   * Recovery that one process does for all. It finds work that other processes left unfinished or whose messages were
   * lost.
   */
  readonly settling?: Duty;
  /** Called before messages are consumed. */
  begin?(stopping: AbortSignal): Promise<void>;
  /** Resolves when the message is done. If it rejects, the message is redelivered after a pause. */
  handle(message: Message, stopping: AbortSignal): Promise<void>;
  /** See `Consumer.queued`. */
  readonly next?: Consumer['queued'] | undefined;
  recover?(): Promise<void>;
  /** Called at the beginning of a stop. Resolves when no recovery is running. */
  end?(): Promise<void>;
}
