import type { Kafka } from 'kafkajs';
import { reasonOf } from '../../../kernel/reason.js';
import type { Clock } from '../../../ports/clock.port.js';
import {
  type Consumer,
  type Consumption,
  type Message,
  Messages,
  type MessagesLoad,
  MessagesUnavailable,
} from '../../../ports/messages.port.js';
import { InProcessMessages } from '../in-process/in-process-messages.adapter.js';
import { type CloudEvent, envelopeOf, envelopeSource, kafkaRecordOf, withoutData } from './cloud-event.js';
import { TopicConsumer } from './consuming/topic-consumer.js';
import { type KafkaClientOptions, kafkaClient } from './kafka-client.js';
import { KafkaTopics, type NewTopics } from './kafka-topics.js';
import { AcknowledgedProducer, fitsKafka } from './sending/acknowledged-producer.js';

export interface KafkaMessagesOptions extends KafkaClientOptions {
  readonly clock: Clock;
  /** Prefix of topics and groups on the brokers: `run-requests` becomes `countersign.run-requests`. */
  readonly namespace?: string;
  /** The number of partitions limits how many processes can share a topic's work. */
  readonly newTopics?: Partial<NewTopics>;
  /** Time for which `publish` waits for the brokers. Default: 10 s. */
  readonly publishTimeoutMs?: number;
  /**
   * Time without a heartbeat after which the group gives a dead member's partitions to others. If a member dies while
   * the group is assigning partitions, all members pause for this time. Default: 10 s.
   */
  readonly sessionTimeoutMs?: number;
  /** Approximate limit of messages in memory per partition. Default: 2,000. */
  readonly mostQueued?: number;
  /**
   * Maximum number of a key's messages in memory if the consumer has the method `queued`, which reads the key's other
   * messages later. Default: 50.
   */
  readonly mostOfKey?: number;
}

const usualTopics: NewTopics = { partitions: 12, replication: 3, retentionHours: 720, messageBytes: 1_048_588 };

export class KafkaMessages extends Messages {
  override readonly durable = true;
  override readonly here: Messages;
  private readonly kafka: Kafka;
  private readonly topics: KafkaTopics;
  private readonly producer: AcknowledgedProducer;
  private readonly consumers = new Map<string, TopicConsumer>();
  private closed = false;
  source = envelopeSource();

  /** Does not connect yet. @throws Error if the address is invalid */
  constructor(private readonly options: KafkaMessagesOptions) {
    super();
    this.kafka = kafkaClient(options);
    const { clock, newTopics } = options;
    this.here = new InProcessMessages(clock);
    this.topics = new KafkaTopics({ kafka: this.kafka, clock, ...usualTopics, ...newTopics });
    const timeoutMs = options.publishTimeoutMs ?? 10_000;
    this.producer = new AcknowledgedProducer({
      kafka: this.kafka,
      clock,
      timeoutMs,
      mostBytesOf: (topic) => this.topics.mostBytesOf(topic),
      wasTooLarge: (topic) => this.topics.wasTooLarge(topic),
    });
  }

  override belongTo(log: string): void {
    this.source = envelopeSource(log);
  }

  override publish(topic: string, message: Message): Promise<void> {
    const type = `${this.namespace}.${topic}`;
    return this.publishEvents(topic, [
      { key: message.key, event: envelopeOf(type, message, this.options.clock.now(), this.source) },
    ]);
  }

  /**
   * Preserves the order of events with the same key. Omits the data of an event that exceeds the brokers' limit. If
   * this rejects, an unknown part of the events has been published.
   */
  async publishEvents(
    topic: string,
    events: readonly { readonly key: string; readonly event: CloudEvent }[],
  ): Promise<void> {
    await this.ensure(topic);
    const name = this.nameOf(topic);
    const most = this.topics.mostBytesOf(name);
    const records = events.map(({ key, event }) => {
      const record = kafkaRecordOf(key, event);
      return fitsKafka(record, most) ? record : kafkaRecordOf(key, withoutData(event));
    });
    await this.producer.publish(name, records);
  }

  override async consume(consumer: Consumer): Promise<Consumption> {
    const { topic } = consumer;
    if (this.closed) throw new MessagesUnavailable('Messages are closed.');
    if (this.consumers.has(topic)) throw new Error(`Topic ${topic} already has a consumer.`);
    const { kafka, topics } = this;
    const { clock, sessionTimeoutMs = 10_000, mostQueued = 2_000, mostOfKey } = this.options;
    const name = this.nameOf(topic);
    const share = { consumer, mostQueued, mostOfKey, sessionTimeoutMs, source: () => this.source };
    const made = new TopicConsumer({ kafka, clock, topics, name, ...share });
    this.consumers.set(topic, made);
    await made.start();
    return {
      stop: async (graceMs) => {
        if (this.consumers.get(topic) === made) this.consumers.delete(topic);
        await made.close(graceMs);
      },
    };
  }

  override waiting(topic: string): number {
    return this.consumers.get(topic)?.waiting ?? 0;
  }

  override async load(): Promise<MessagesLoad> {
    const topics = await Promise.all([...this.consumers.values()].map((consumer) => consumer.load()));
    const here = await this.here.load();
    return { topics: [...topics, ...here.topics], notAcknowledged: this.producer.notAcknowledged };
  }

  override async check(): Promise<void> {
    await this.bounded(this.topics.check());
  }

  override async close(graceMs: number): Promise<void> {
    this.closed = true;
    await Promise.all([this.here, ...this.consumers.values()].map((one) => one.close(graceMs)));
    await Promise.all([this.producer.close(graceMs), this.topics.close()]);
  }

  private async ensure(topic: string): Promise<void> {
    if (this.closed) throw new MessagesUnavailable('Messages are closed.');
    await this.bounded(this.topics.ensure(this.nameOf(topic)));
  }

  private async bounded(asked: Promise<void>): Promise<void> {
    const ms = this.options.publishTimeoutMs ?? 10_000;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const callOff = this.options.clock.after(ms, () => reject(new Error(`no answer within ${ms} ms`)));
    asked.then(resolve, reject);
    try {
      await promise;
    } catch (error) {
      throw new MessagesUnavailable(`Kafka cannot be reached or written to: ${reasonOf(error)}`, { cause: error });
    } finally {
      callOff();
    }
  }

  private get namespace(): string {
    return this.options.namespace ?? 'countersign';
  }

  private nameOf(topic: string): string {
    return `${this.namespace}.${topic}`;
  }
}
