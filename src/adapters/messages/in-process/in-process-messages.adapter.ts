import { Injectable, Logger } from '@nestjs/common';
import { reasonOf } from '../../../kernel/reason.js';
import { Clock } from '../../../ports/clock.port.js';
import {
  type Consumer,
  type Consumption,
  type Message,
  Messages,
  type MessagesLoad,
  MessagesUnavailable,
} from '../../../ports/messages.port.js';
import { KeyedWork } from '../keyed-work.js';

interface Topic {
  /** Unfinished messages by id, in the order of publication. */
  readonly messages: Map<string, Message>;
  work: KeyedWork<Message> | undefined;
}

/**
 * Stores messages in memory only. After a crash, the service reads the log and publishes unfinished messages again.
 * Keys with the same text up to the slash, usually those of a workspace, form a group, and each group gets a fair share
 * of the concurrency.
 */
@Injectable()
export class InProcessMessages extends Messages {
  override readonly durable = false;
  override readonly here = undefined;
  private readonly log = new Logger('Messages');
  private readonly topics = new Map<string, Topic>();
  private closed = false;

  constructor(private readonly clock: Clock) {
    super();
  }

  override belongTo(): void {}

  override async publish(topic: string, message: Message): Promise<void> {
    if (this.closed) throw new MessagesUnavailable('Messages are closed.');
    const to = this.topic(topic);
    if (to.messages.has(message.id)) return;
    to.messages.set(message.id, message);
    to.work?.add(message);
  }

  override async consume(consumer: Consumer): Promise<Consumption> {
    const topic = this.topic(consumer.topic);
    if (this.closed) throw new MessagesUnavailable('Messages are closed.');
    if (topic.work !== undefined) throw new Error(`Topic ${consumer.topic} already has a consumer.`);
    const work = new KeyedWork<Message>({
      clock: this.clock,
      concurrency: consumer.concurrency,
      handle: (message) => consumer.handle(message),
      done: ({ id }) => void topic.messages.delete(id),
      rejected: ({ id }, error, pauseMs) => {
        this.log.warn(`${consumer.topic}: message ${id} will be delivered again in ${pauseMs} ms: ${reasonOf(error)}`);
        return true;
      },
    });
    topic.work = work;
    for (const message of topic.messages.values()) work.add(message);
    return {
      stop: async (graceMs) => {
        if (topic.work === work) topic.work = undefined;
        await work.drain(graceMs);
      },
    };
  }

  override waiting(topic: string): number {
    return this.topic(topic).messages.size;
  }

  override async load(): Promise<MessagesLoad> {
    const topics = [...this.topics].map(([topic, { messages }]) => ({ topic, waiting: messages.size, busyKeys: 0 }));
    return { topics, notAcknowledged: 0 };
  }

  override async check(): Promise<void> {
    if (this.closed) throw new MessagesUnavailable('Messages are closed.');
  }

  override async close(graceMs: number): Promise<void> {
    this.closed = true;
    await Promise.all([...this.topics.values()].map(({ work }) => work?.drain(graceMs)));
  }

  private topic(name: string): Topic {
    const known = this.topics.get(name);
    if (known !== undefined) return known;
    const made: Topic = { messages: new Map(), work: undefined };
    this.topics.set(name, made);
    return made;
  }
}
