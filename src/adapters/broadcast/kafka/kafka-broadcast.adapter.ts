import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { EachBatchPayload, Kafka, Consumer as KafkaConsumer } from 'kafkajs';
import type { JsonObject } from '../../../kernel/json/json.js';
import { reasonOf } from '../../../kernel/reason.js';
import { throttledLog } from '../../../kernel/throttled-log.js';
import { Broadcast, BroadcastUnavailable, type Listener } from '../../../ports/broadcast.port.js';
import type { Clock } from '../../../ports/clock.port.js';
import { attempts, type KafkaClientOptions, kafkaClient } from '../../messages/kafka/kafka-client.js';
import { KafkaTopics, type NewTopics } from '../../messages/kafka/kafka-topics.js';
import { AcknowledgedProducer } from '../../messages/kafka/sending/acknowledged-producer.js';

export interface KafkaBroadcastOptions extends KafkaClientOptions {
  readonly clock: Clock;
  /** Prefix of the topic and the consumer groups. Default: `countersign`. */
  readonly namespace?: string;
  readonly newTopics?: Partial<NewTopics>;
  /** Time, in milliseconds, for which `publish` waits for the brokers. Default: five seconds. */
  readonly publishTimeoutMs?: number;
}

/** Short, because a message is useful only just after it was published. */
const retentionHours = 1;
const pausesMs = [200, 500, 1_000, 3_000];

/**
 * Every process has its own consumer group, with offsets in memory only, so a restarted process misses earlier
 * messages.
 */
export class KafkaBroadcast extends Broadcast {
  override readonly isShared = true;
  private readonly warn = throttledLog((sentence) => new Logger('Broadcast').warn(sentence));
  private readonly kafka: Kafka;
  private readonly topics: KafkaTopics;
  private readonly producer: AcknowledgedProducer;
  private readonly process = randomUUID();
  private readonly topic: string;
  private next: Map<number, bigint> | undefined;
  private ofLog = '';
  private listener: Listener | undefined;
  private consumer: KafkaConsumer | undefined;
  private trouble: string | undefined = 'This process is not listening yet.';
  private failures = 0;
  private callOff: (() => void) | undefined;
  private closed = false;

  /** Does not connect yet. @throws Error if the address is invalid */
  constructor(private readonly options: KafkaBroadcastOptions) {
    super();
    const { clock, newTopics, namespace = 'countersign', publishTimeoutMs: timeoutMs = 5_000 } = options;
    this.topic = `${namespace}.broadcast`;
    this.kafka = kafkaClient(options);
    const usual = { replication: 3, messageBytes: 1_048_588, ...newTopics };
    this.topics = new KafkaTopics({ kafka: this.kafka, clock, ...usual, partitions: 1, retentionHours });
    this.producer = new AcknowledgedProducer({
      kafka: this.kafka,
      clock,
      timeoutMs,
      mostBytesOf: (topic) => this.topics.mostBytesOf(topic),
      wasTooLarge: (topic) => this.topics.wasTooLarge(topic),
    });
  }

  override belongTo(log: string): void {
    this.ofLog = log;
  }

  override async publish(message: JsonObject): Promise<void> {
    if (this.closed) throw new BroadcastUnavailable('Broadcasting is closed.');
    const value = JSON.stringify({ log: this.ofLog, message });
    try {
      await this.topics.ensure(this.topic);
      await this.producer.publish(this.topic, [{ key: this.process, value }]);
    } catch (error) {
      throw new BroadcastUnavailable(`The message could not be broadcast: ${reasonOf(error)}`, { cause: error });
    }
  }

  override async listen(listener: Listener): Promise<void> {
    if (this.listener !== undefined) throw new Error('This process is already listening.');
    this.listener = listener;
    await this.begin();
  }

  override async check(): Promise<void> {
    if (this.closed) throw new BroadcastUnavailable('Broadcasting is closed.');
    if (this.trouble !== undefined) throw new BroadcastUnavailable(this.trouble);
  }

  override async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.callOff?.();
    await Promise.all([this.consumer?.disconnect().catch(() => undefined), this.producer.close(1_000)]);
    await this.topics.close();
  }

  private async begin(): Promise<void> {
    try {
      await this.join();
    } catch (error) {
      this.later(error);
    }
  }

  /** Resolves once this process receives everything that is published from then on. */
  private async join(): Promise<void> {
    await this.topics.ensure(this.topic);
    const ends = await this.topics.ends(this.topic);
    // A process that has listened before resumes where it stopped, so it misses only messages that the brokers have
    // deleted.
    const from = this.next ?? new Map([...ends].map(([partition, end]) => [partition, BigInt(end)]));
    this.next = from;
    const consumer = this.kafka.consumer({
      groupId: `${this.topic}.${this.process}`,
      maxWaitTimeInMs: 1_000,
      sessionTimeout: 30_000,
      retry: { ...attempts, restartOnFailure: async () => false },
    });
    this.consumer = consumer;
    const joined = Promise.withResolvers<void>();
    consumer.on('consumer.group_join', () => {
      for (const [partition, offset] of from) consumer.seek({ topic: this.topic, partition, offset: String(offset) });
      this.trouble = undefined;
      this.failures = 0;
      joined.resolve();
    });
    consumer.on('consumer.crash', ({ payload }) => {
      joined.reject(payload.error);
      if (this.consumer === consumer) this.later(payload.error);
    });
    joined.promise.catch(() => undefined);
    try {
      await consumer.connect();
      await consumer.subscribe({ topic: this.topic, fromBeginning: false });
      await consumer.run({ autoCommit: false, eachBatch: async (batch) => this.take(batch) });
      await joined.promise;
    } catch (error) {
      await consumer.disconnect().catch(() => undefined);
      throw error;
    }
    if (this.closed) await consumer.disconnect();
  }

  private take({ batch: { partition, messages } }: EachBatchPayload): void {
    for (const { offset, value } of messages) {
      const at = BigInt(offset);
      const next = this.next?.get(partition) ?? 0n;
      if (at < next) continue;
      // A gap means that the brokers have deleted messages that this process had not read.
      if (at > next) this.listener?.lapsed();
      this.next?.set(partition, at + 1n);
      this.hear(value);
    }
  }

  private hear(value: Buffer | null): void {
    try {
      const { log, message } = JSON.parse(String(value)) as { readonly log?: string; readonly message?: JsonObject };
      if (log === this.ofLog && message !== undefined) this.listener?.heard(message);
    } catch (error) {
      this.warn(`A record on ${this.topic} cannot be read: ${reasonOf(error)}`);
    }
  }

  private later(error: unknown): void {
    if (this.closed) return;
    this.trouble = `This process does not receive broadcasts from other processes: ${reasonOf(error)}`;
    this.warn(this.trouble);
    const before = this.consumer;
    this.consumer = undefined;
    before?.disconnect().catch(() => undefined);
    this.callOff?.();
    const pauseMs = pausesMs[Math.min(this.failures, pausesMs.length - 1)] ?? 0;
    this.failures += 1;
    this.callOff = this.options.clock.after(pauseMs, () => void this.begin());
  }
}
