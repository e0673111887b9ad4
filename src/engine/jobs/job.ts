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

export type Accepted<Event extends DomainEvent> = Event extends DomainEvent
  ? Pick<Event, 'type' | 'data'> & {
      readonly workspaceId: string;
      readonly streamId: string;
      readonly revision: number;
      readonly position: number;
    }
  : never;

/**
 * Work that is done at least once, by any process. A message can be delivered twice, or after its work has ended. An
 * attempt must detect this and then do nothing.
 */
export interface Job<Work, Event extends DomainEvent = DomainEvent> {
  readonly topic: string;
  /**
   * Set if all processes work on the same message key at the same time and divide the work by claims in the log. Each
   * process then sends messages only to itself, without a broker.
   */
  readonly isShared?: true;
  readonly concurrency: number | ((settings: Environment) => number);
  readonly accepted: {
    /**
     * Name of the saga that sends the messages for accepted work, and of its checkpoint. Jobs may share a saga if the
     * categories of their streams differ.
     */
    readonly saga: string;
    readonly category: string;
    readonly reads: readonly Event['type'][];
    message(event: Accepted<Event>): Message | undefined;
  };
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
  readonly settling?: Duty;
  begin?(stopping: AbortSignal): Promise<void>;
  /** If the promise rejects, the message is redelivered after a pause. */
  handle(message: Message, stopping: AbortSignal): Promise<void>;
  readonly next?: Consumer['queued'] | undefined;
  recover?(): Promise<void>;
  /** Called at the beginning of a stop. Resolves when no recovery is running any more. */
  end?(): Promise<void>;
}
