import { Logger } from '@nestjs/common';
import type { Admin, Kafka } from 'kafkajs';
import { reasonOf } from '../../../kernel/reason.js';

export interface KafkaTopicsOptions {
  readonly kafka: Kafka;
  /** For topics created here. */
  readonly partitions: number;
}

/** A permanent failure: an operator must create the topic, or grant the right to do so. */
export class TopicCannotBeMade extends Error {}

/** Creates missing topics. An existing topic is left unchanged. */
export class KafkaTopics {
  private readonly log = new Logger('Kafka');
  private readonly present = new Map<string, Promise<void>>();

  constructor(private readonly options: KafkaTopicsOptions) {}

  /** @throws Error saying what is wrong and what to do; a later call tries again */
  ensure(topic: string): Promise<void> {
    const known = this.present.get(topic);
    if (known !== undefined) return known;
    const asked = this.make(topic);
    this.present.set(topic, asked);
    asked.catch(() => this.present.delete(topic));
    return asked;
  }

  /** Rejects when no broker answers. */
  async check(): Promise<void> {
    await this.ask((admin) => admin.describeCluster());
  }

  private make(topic: string): Promise<void> {
    return this.ask(async (admin) => {
      if ((await admin.listTopics()).includes(topic)) return;
      const { brokers } = await admin.describeCluster();
      try {
        await this.create(admin, topic, Math.max(1, Math.min(3, brokers.length)));
      } catch (error) {
        const said = refusalIn(error);
        if (said !== undefined) throw new TopicCannotBeMade(`${this.missing(topic)} (${said})`);
        if (!cannotCreate(error)) throw error;
        this.log.warn(`${this.missing(topic)} The brokers do not make topics when asked; left to them.`);
      }
    });
  }

  private async create(admin: Admin, topic: string, replicationFactor: number): Promise<void> {
    const inSync = Math.max(1, replicationFactor - 1);
    const created = await admin.createTopics({
      timeout: 5_000,
      topics: [
        {
          topic,
          numPartitions: this.options.partitions,
          replicationFactor,
          // With acks=all, a message survives the loss of a broker only if a second one was required to have it.
          configEntries: [{ name: 'min.insync.replicas', value: String(inSync) }],
        },
      ],
    });
    if (created)
      this.log.log(`Made topic ${topic}: ${this.options.partitions} partitions, ${replicationFactor} copies.`);
  }

  private missing(topic: string): string {
    return `Kafka topic ${topic} is missing and could not be made: make it with ${this.options.partitions} partitions.`;
  }

  private async ask<T>(question: (admin: Admin) => Promise<T>): Promise<T> {
    const admin = this.options.kafka.admin();
    try {
      await admin.connect();
      return await question(admin);
    } finally {
      await admin.disconnect().catch(() => undefined);
    }
  }
}

/** Some clusters (and the fake broker of the tests) do not support the request: they create topics on first use. */
function cannotCreate(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'KafkaJSServerDoesNotSupportApiKey' || cannotCreate(error.cause);
}

/** What the brokers said about the topic itself, such as missing rights; kafkajs wraps it. */
function refusalIn(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const said = (error as { readonly errors?: readonly unknown[] }).errors?.[0];
  return said instanceof Error ? reasonOf(said) : refusalIn(error.cause);
}
