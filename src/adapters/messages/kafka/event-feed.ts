import { Logger } from '@nestjs/common';
import type { RecordedEvent } from '../../../kernel/event.js';
import { reasonOf } from '../../../kernel/reason.js';
import type { EventFilter, EventStore, Subscription } from '../../../ports/event-store.port.js';
import { type Build, CheckpointMoved, type ReadStore } from '../../../ports/read-store.port.js';
import { type CloudEvent, source } from './cloud-event.js';
import type { KafkaMessages } from './kafka-messages.adapter.js';

export interface EventFeedOptions {
  readonly events: EventStore;
  /** Keeps how far the feed has got. */
  readonly store: ReadStore;
  readonly messages: Pick<KafkaMessages, 'publishEvents'>;
  /** Kebab-case; the checkpoint is kept under it. */
  readonly name: string;
  /** `events` or `pending-changes`; on the brokers within the namespace: `countersign.events`. */
  readonly topic: string;
  /** Which events; all when left out. */
  readonly filter?: EventFilter;
}

/** How far the log may run on without anything for this feed before that is written down. */
const stride = 1_000;

/**
 * Tells outside consumers what happened, from the log: every event at least once, those of one stream in their order.
 * The id is the event's position, so who has seen it knows it again. The checkpoint follows the brokers'
 * acknowledgement, so a crash in between repeats and loses nothing.
 */
export class EventFeed {
  private readonly log = new Logger('Feeds');
  private readonly build: Build;
  private checkpoint = -1;
  private subscription: Subscription | undefined;

  constructor(private readonly options: EventFeedOptions) {
    this.build = { projection: `feed:${options.name}`, generation: 'live' };
  }

  async start(): Promise<void> {
    const { events, store, filter } = this.options;
    this.checkpoint = await store.checkpoint(this.build);
    this.subscription = events.subscribe({
      ...filter,
      after: this.checkpoint,
      handle: (batch, caughtUpTo) => this.tell(batch, caughtUpTo),
    });
  }

  async stop(): Promise<void> {
    await this.subscription?.stop();
    this.subscription = undefined;
  }

  private async tell(batch: readonly RecordedEvent[], caughtUpTo: number): Promise<void> {
    const fresh = batch.filter(({ position }) => position > this.checkpoint);
    if (fresh.length === 0 && caughtUpTo < this.checkpoint + stride) return;
    try {
      const events = fresh.map((event) => ({ key: event.stream, event: cloudEventOf(event) }));
      if (events.length > 0) await this.options.messages.publishEvents(this.options.topic, events);
      await this.options.store.commit(this.build, this.checkpoint, caughtUpTo, []);
      this.checkpoint = caughtUpTo;
    } catch (error) {
      this.log.warn(`${this.options.name} will tell from ${this.checkpoint} again: ${reasonOf(error)}`);
      // Another process tells too and is further: this one goes on from there.
      if (error instanceof CheckpointMoved) this.checkpoint = await this.options.store.checkpoint(this.build);
      throw error;
    }
  }
}

/** Names of persons stay inside: the actor is told by kind and id. */
function cloudEventOf({ type, data, stream, revision, position, metadata }: RecordedEvent): CloudEvent {
  return {
    specversion: '1.0',
    id: String(position),
    source,
    type: `countersign.${type}`,
    time: metadata.at,
    subject: stream,
    datacontenttype: 'application/json',
    data,
    partitionkey: stream,
    revision: String(revision),
    workspaceid: metadata.workspaceId,
    actorkind: metadata.actor.kind,
    actorid: metadata.actor.id,
    operation: metadata.operation,
    correlationid: metadata.correlationId,
    ...(metadata.causationId === null ? {} : { causationid: metadata.causationId }),
  };
}
