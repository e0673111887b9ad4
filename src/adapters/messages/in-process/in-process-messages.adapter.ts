import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../../ports/clock.port.js';
import { type Consumer, type Message, Messages } from '../../../ports/messages.port.js';

interface Topic {
  /** Waiting messages by key; a key in hand stays in the map, so that its next message waits its turn. */
  readonly queues: Map<string, Message[]>;
  readonly inHand: Set<string>;
  readonly ids: Set<string>;
  consumer: Consumer | undefined;
}

const firstPauseMs = 500;
const longestPauseMs = 30_000;

/** Messages within one process: queues in memory, filled again from the log after a crash. Keys take turns. */
@Injectable()
export class InProcessMessages extends Messages {
  private readonly log = new Logger('Messages');
  private readonly topics = new Map<string, Topic>();
  private closing = false;
  private idle: (() => void) | undefined;

  constructor(private readonly clock: Clock) {
    super();
  }

  override async publish(topic: string, message: Message): Promise<void> {
    const to = this.topic(topic);
    if (to.ids.has(message.id)) return;
    to.ids.add(message.id);
    const queue = to.queues.get(message.key);
    if (queue === undefined) to.queues.set(message.key, [message]);
    else queue.push(message);
    this.turn(to);
  }

  override async consume(consumer: Consumer): Promise<void> {
    const topic = this.topic(consumer.topic);
    if (topic.consumer !== undefined) throw new Error(`Topic ${consumer.topic} has a consumer already.`);
    topic.consumer = consumer;
    this.turn(topic);
  }

  override waiting(topic: string): number {
    return this.topic(topic).ids.size;
  }

  override async close(graceMs: number): Promise<void> {
    this.closing = true;
    if (this.busy() === 0) return;
    await new Promise<void>((resolve) => {
      this.idle = resolve;
      this.clock.after(graceMs, resolve);
    });
  }

  private turn(topic: Topic): void {
    if (topic.consumer === undefined || this.closing) return;
    for (const [key, queue] of topic.queues) {
      if (topic.inHand.size >= topic.consumer.concurrency) return;
      const message = topic.inHand.has(key) ? undefined : queue[0];
      if (message !== undefined) this.hand(topic, topic.consumer, message, firstPauseMs);
    }
  }

  private hand(topic: Topic, consumer: Consumer, message: Message, pauseMs: number): void {
    topic.inHand.add(message.key);
    consumer.handle(message).then(
      () => this.done(topic, message),
      (error: unknown) => {
        this.log.warn(`${consumer.topic} ${message.id} comes again in ${pauseMs} ms: ${reason(error)}`);
        if (this.closing) return this.leave(topic, message.key);
        this.clock.after(pauseMs, () => this.hand(topic, consumer, message, Math.min(pauseMs * 2, longestPauseMs)));
      },
    );
  }

  private done(topic: Topic, message: Message): void {
    topic.ids.delete(message.id);
    const queue = topic.queues.get(message.key);
    queue?.shift();
    topic.queues.delete(message.key);
    // Behind all other keys: one busy key never keeps the others waiting.
    if (queue !== undefined && queue.length > 0) topic.queues.set(message.key, queue);
    this.leave(topic, message.key);
    this.turn(topic);
  }

  private leave(topic: Topic, key: string): void {
    topic.inHand.delete(key);
    if (this.busy() === 0) this.idle?.();
  }

  private busy(): number {
    return [...this.topics.values()].reduce((sum, { inHand }) => sum + inHand.size, 0);
  }

  private topic(name: string): Topic {
    const known = this.topics.get(name);
    if (known !== undefined) return known;
    const made: Topic = { queues: new Map(), inHand: new Set(), ids: new Set(), consumer: undefined };
    this.topics.set(name, made);
    return made;
  }
}

const reason = (error: unknown) => (error instanceof Error ? error.message : 'unknown reason');
