import { Logger } from '@nestjs/common';
import kafkajs, { type Admin, type ITopicMetadata, type Kafka } from 'kafkajs';
import { reasonOf } from '../../../kernel/reason.js';
import type { Clock } from '../../../ports/clock.port.js';
import { brokerErrorIn, isFinal, typeIn } from './broker-errors.js';

/** Settings of new topics. Existing topics are not changed. */
export interface NewTopics {
  readonly partitions: number;
  readonly replication: number;
  readonly retentionHours: number;
  /** Value of `max.message.bytes`, the largest batch that brokers accept. */
  readonly messageBytes: number;
}

export interface KafkaTopicsOptions extends NewTopics {
  readonly kafka: Kafka;
  readonly clock: Clock;
}

/** An operator must create the topic or grant the right to create it. */
export class TopicCannotBeMade extends Error {}

const sizeSetting = 'max.message.bytes';
/**
 * Lowest limit of a batch, in bytes, that is assumed if brokers do not report theirs. Messages that request work are
 * always smaller.
 */
const leastBytes = 20_000;
const unknownTopic = 'UNKNOWN_TOPIC_OR_PARTITION';
/** Maximum number of look-ups of a new topic. Brokers learn of it a moment after one of them has created it. */
const looks = 50;
const betweenLooksMs = 100;

/**
 * Always requests topics by name, because kafkajs refuses a whole response if any topic in it has a partition without a
 * leader, which is usual on a shared cluster.
 */
export class KafkaTopics {
  private readonly log = new Logger('Kafka');
  private readonly present = new Map<string, Promise<void>>();
  private readonly partitions = new Map<string, number>();
  private readonly limits = new Map<string, number>();
  private connection: Promise<Admin> | undefined;

  constructor(private readonly options: KafkaTopicsOptions) {}

  /** After a failure, the next call tries again. @throws Error with the cause and its remedy */
  ensure(topic: string): Promise<void> {
    const known = this.present.get(topic);
    if (known !== undefined) return known;
    const asked = this.make(topic);
    this.present.set(topic, asked);
    asked.catch(() => this.present.delete(topic));
    return asked;
  }

  /** Rejects if no broker responds or one of our topics has a partition without a leader. */
  async check(): Promise<void> {
    await this.ask((admin) => admin.fetchTopicMetadata({ topics: [...this.present.keys()] }), this.present.size > 0);
  }

  partitionsOf(topic: string): number | undefined {
    return this.partitions.get(topic);
  }

  /**
   * Largest batch that brokers accept for the topic, in bytes. As long as the brokers have neither reported it nor
   * refused a batch, this is the setting for new topics.
   */
  mostBytesOf(topic: string): number {
    return this.limits.get(topic) ?? this.options.messageBytes;
  }

  /**
   * Must be called if brokers refused a batch as too large. If brokers do not report a lower limit, halves the assumed
   * limit, so the same batch is not refused for ever.
   */
  async wasTooLarge(topic: string): Promise<void> {
    const before = this.mostBytesOf(topic);
    const limit = await this.ask((admin) => this.reportedLimit(admin, topic)).catch(() => undefined);
    const half = Math.max(leastBytes, Math.floor(before / 2));
    const now = limit !== undefined && limit < before ? limit : Math.min(half, before);
    this.limits.set(topic, now);
    this.log.warn(
      `Brokers refused a batch for Kafka topic ${topic} as too large. From now on, batches have at most ${now} bytes, and larger events are published without their data; to publish their data too, raise max.message.bytes of the topic.`,
    );
  }

  /** Returns the offset after the last message of each partition. Rejects if brokers do not respond. */
  async ends(topic: string): Promise<ReadonlyMap<number, number>> {
    const found = await this.ask((admin) => admin.fetchTopicOffsets(topic));
    return new Map(found?.map(({ partition, high }) => [partition, Number(high)]));
  }

  async close(): Promise<void> {
    await this.connection?.then((admin) => admin.disconnect()).catch(() => undefined);
    this.connection = undefined;
  }

  private make(topic: string): Promise<void> {
    return this.ask(async (admin) => {
      const found = await this.find(admin, topic);
      if (found === undefined) {
        await this.create(admin, topic);
        await this.known(admin, topic);
      } else this.compare(topic, found);
      const limit = await this.reportedLimit(admin, topic);
      if (limit !== undefined) this.limits.set(topic, limit);
    });
  }

  private async create(admin: Admin, topic: string): Promise<void> {
    const { partitions, replication, retentionHours, messageBytes } = this.options;
    const config = {
      'cleanup.policy': 'delete',
      'retention.ms': String(retentionHours * 3_600_000),
      // With `acks=all`, a message survives the loss of a broker only if a second broker had to store it.
      'min.insync.replicas': String(Math.max(1, replication - 1)),
      [sizeSetting]: String(messageBytes),
    };
    const configEntries = Object.entries(config).map(([name, value]) => ({ name, value }));
    const definition = { topic, numPartitions: partitions, replicationFactor: replication, configEntries };
    try {
      const created = await admin.createTopics({ timeout: 5_000, waitForLeaders: false, topics: [definition] });
      if (created) this.log.log(`Created topic ${topic}: ${partitions} partitions, ${replication} replicas.`);
    } catch (error) {
      const brokerError = brokerErrorIn(error);
      if (brokerError?.type === 'INVALID_REPLICATION_FACTOR') throw this.tooFewBrokers(topic, error);
      if (brokerError !== undefined && isFinal(brokerError)) {
        throw new TopicCannotBeMade(`${this.missing(topic)} (${reasonOf(brokerError)})`);
      }
      if (!isUnsupported(error)) throw error;
      this.log.warn(
        `${this.missing(topic)} The brokers do not support requests that create topics, so they must create it on first use.`,
      );
    }
  }

  /**
   * The topic is not created with fewer replicas, because it would still have too few after the missing brokers have
   * started.
   */
  private tooFewBrokers(topic: string, cause: unknown): Error {
    const { replication } = this.options;
    const message = `Kafka topic ${topic} needs ${replication} replicas, but fewer brokers are running: start more brokers, or lower KAFKA_TOPIC_REPLICATION.`;
    return new Error(message, { cause });
  }

  private async find(admin: Admin, topic: string): Promise<ITopicMetadata | undefined> {
    try {
      const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
      const found = topics.find(({ name }) => name === topic);
      if (found !== undefined) this.partitions.set(topic, found.partitions.length);
      return found;
    } catch (error) {
      if (typeIn(error) === unknownTopic) return undefined;
      throw error;
    }
  }

  private async known(admin: Admin, topic: string): Promise<void> {
    for (let look = 1; (await this.find(admin, topic)) === undefined; look++) {
      // Brokers that create topics on first use will create this one when a message is published.
      if (look === looks) return;
      await new Promise<void>((resolve) => this.options.clock.after(betweenLooksMs, resolve));
    }
  }

  /** Returns undefined if brokers do not support the request or the service has no right to DescribeConfigs. */
  private async reportedLimit(admin: Admin, topic: string): Promise<number | undefined> {
    const asked = { type: kafkajs.ConfigResourceTypes.TOPIC, name: topic, configNames: [sizeSetting] };
    try {
      const { resources } = await admin.describeConfigs({ includeSynonyms: false, resources: [asked] });
      const entry = resources[0]?.configEntries.find(({ configName }) => configName === sizeSetting);
      const bytes = Number(entry?.configValue);
      return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : undefined;
    } catch (error) {
      if (brokerErrorIn(error) !== undefined || isUnsupported(error)) return undefined;
      throw error;
    }
  }

  private compare(topic: string, { partitions }: ITopicMetadata): void {
    const copies = Math.min(...partitions.map(({ replicas }) => replicas.length));
    if (copies >= this.options.replication) return;
    this.log.warn(
      `Kafka topic ${topic} has ${copies} replicas instead of ${this.options.replication}: messages can be lost if a broker fails. Reassign its partitions, or lower KAFKA_TOPIC_REPLICATION.`,
    );
  }

  private missing(topic: string): string {
    const { partitions, replication } = this.options;
    return `Kafka topic ${topic} is missing and could not be created: create it with ${partitions} partitions and ${replication} replicas.`;
  }

  /** The connection is shared until an error occurs. If `asks` is false, only connects and resolves to undefined. */
  private async ask<T>(question: (admin: Admin) => Promise<T>, asks = true): Promise<T | undefined> {
    const connection = this.connected();
    try {
      const admin = await connection;
      return asks ? await question(admin) : undefined;
    } catch (error) {
      if (this.connection === connection) await this.close();
      throw error;
    }
  }

  private connected(): Promise<Admin> {
    this.connection ??= this.connect();
    return this.connection;
  }

  private async connect(): Promise<Admin> {
    const admin = this.options.kafka.admin();
    try {
      await admin.connect();
      return admin;
    } catch (error) {
      await admin.disconnect().catch(() => undefined);
      throw error;
    }
  }
}

function isUnsupported(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'KafkaJSServerDoesNotSupportApiKey' || isUnsupported(error.cause);
}
