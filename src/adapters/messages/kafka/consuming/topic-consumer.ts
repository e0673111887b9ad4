import { Logger } from '@nestjs/common';
import type { Kafka, Consumer as KafkaConsumer } from 'kafkajs';
import { reasonOf } from '../../../../kernel/reason.js';
import type { Clock } from '../../../../ports/clock.port.js';
import type { Consumer, TopicLoad } from '../../../../ports/messages.port.js';
import { attempts } from '../kafka-client.js';
import { type KafkaTopics, TopicCannotBeMade } from '../kafka-topics.js';
import { type Fetching, GroupShare } from './group-share.js';
import { stickyAssigner } from './sticky-assigner.js';

export interface TopicConsumerOptions {
  readonly kafka: Kafka;
  readonly clock: Clock;
  readonly topics: KafkaTopics;
  readonly name: string;
  readonly consumer: Consumer;
  readonly mostQueued: number;
  readonly mostOfKey?: number | undefined;
  readonly source?: () => string;
  /** Time without a heartbeat after which the group gives a member's partitions to others. */
  readonly sessionTimeoutMs: number;
}

const firstPauseMs = 500;
const longestPauseMs = 10_000;

/** Fetching never waits for handlers, so heartbeats are sent even while a handler takes long. */
export class TopicConsumer {
  private readonly log = new Logger('Kafka');
  private readonly share: GroupShare;
  private connection: KafkaConsumer | undefined;
  private joining: Promise<void> = Promise.resolve();
  private pauseMs = firstPauseMs;
  private callOff: (() => void) | undefined;
  private closed = false;
  private rebalances = 0;

  constructor(private readonly options: TopicConsumerOptions) {
    this.share = new GroupShare(options);
  }

  get waiting(): number {
    return this.share.waiting;
  }

  /**
   * Never rejects. New messages of paused partitions are not fetched, so the brokers are asked where these partitions
   * end.
   */
  async load(): Promise<TopicLoad> {
    const { topics, name, consumer } = this.options;
    if (this.share.partitions.paused.length > 0) {
      const ends = await topics.ends(name).catch((error: unknown) => {
        this.log.debug(`${name}: the number of waiting messages is unknown: ${reasonOf(error)}`);
        return new Map<number, number>();
      });
      this.share.lookedAt(ends);
    }
    const { assigned, paused } = this.share.partitions;
    const share = { all: topics.partitionsOf(name), assigned, paused: paused.length, rebalances: this.rebalances };
    return { topic: consumer.topic, waiting: this.share.waiting, busyKeys: this.share.busyKeys, share };
  }

  /**
   * Does not wait for partitions, because a group assigns none while it waits for a dead member's session to expire.
   * Retries if the brokers are unavailable.
   * @throws Error for a permanent failure
   */
  async start(): Promise<void> {
    try {
      this.join(await this.connect());
    } catch (error) {
      if (isForGood(error)) throw error;
      this.later(error);
    }
  }

  async close(graceMs: number): Promise<void> {
    this.closed = true;
    this.callOff?.();
    await this.share.drain(graceMs);
    // A member that leaves the group frees its partitions at once.
    const leave = this.share
      .commit()
      .catch((error: unknown) =>
        this.log.warn(
          `${this.options.name}: the last offsets could not be committed, so their messages will be delivered again: ${reasonOf(error)}`,
        ),
      )
      // Without this wait, the process would remain a member that does not handle its partitions, because kafkajs
      // cannot be stopped while it joins the group.
      .then(() => this.joining)
      .then(() => this.connection?.disconnect())
      .catch(() => undefined);
    await Promise.race([leave, new Promise<void>((resolve) => this.options.clock.after(10_000, resolve))]);
  }

  private async connect(): Promise<KafkaConsumer> {
    const { kafka, topics, name } = this.options;
    await topics.ensure(name);
    const connection = kafka.consumer({
      groupId: name,
      partitionAssigners: [stickyAssigner(this.share)],
      sessionTimeout: this.options.sessionTimeoutMs,
      heartbeatInterval: Math.ceil(this.options.sessionTimeoutMs / 10),
      rebalanceTimeout: 60_000,
      // Short, because kafkajs sends heartbeats only between fetches.
      maxWaitTimeInMs: 1_000,
      maxBytesPerPartition: 262_144,
      maxBytes: 4_194_304,
      // Partitions that an operator adds are found within this time.
      metadataMaxAge: 30_000,
      // This class restarts the consumer itself, even after errors that kafkajs considers final.
      retry: { ...attempts, restartOnFailure: async () => false },
    });
    this.connection = connection;
    this.listen(connection);
    try {
      await connection.connect();
      await connection.subscribe({ topic: name, fromBeginning: true });
      return connection;
    } catch (error) {
      await connection.disconnect().catch(() => undefined);
      throw error;
    }
  }

  private join(connection: KafkaConsumer): void {
    this.joining = this.run(connection).catch((error: unknown) => this.later(error));
  }

  private async run(connection: KafkaConsumer): Promise<void> {
    try {
      if (!this.closed)
        await connection.run({ autoCommit: false, eachBatch: async ({ batch }) => this.share.enqueue(batch) });
      // `close` waits only for a limited time, so it possibly returned before this line is reached.
      if (this.closed) await connection.disconnect();
    } catch (error) {
      await connection.disconnect().catch(() => undefined);
      throw error;
    }
  }

  private listen(connection: KafkaConsumer): void {
    const { name } = this.options;
    connection.on('consumer.group_join', ({ payload }) => {
      this.pauseMs = firstPauseMs;
      this.rebalances += 1;
      const partitions = payload.memberAssignment[name] ?? [];
      this.log.log(`${name}: this process has ${partitions.length} partitions.`);
      this.share.joined(payload.memberId, partitions, fetchingOf(connection, name));
    });
    connection.on('consumer.rebalancing', () => void this.share.commit().catch(() => undefined));
    connection.on('consumer.crash', ({ payload }) => this.later(payload.error));
  }

  private later(error: unknown): void {
    if (this.closed) return;
    const pauseMs = this.pauseMs;
    this.pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    this.log.warn(`${this.options.name}: the consumer failed and will restart in ${pauseMs} ms: ${reasonOf(error)}`);
    this.callOff?.();
    this.callOff = this.options.clock.after(pauseMs, () => {
      this.connect().then(
        (connection) => this.join(connection),
        (reason: unknown) => this.later(reason),
      );
    });
  }
}

export function fetchingOf(connection: KafkaConsumer, topic: string): Fetching {
  return {
    pause: (partition) => ifRunning(() => connection.pause([{ topic, partitions: [partition] }])),
    resume: (partition) => ifRunning(() => connection.resume([{ topic, partitions: [partition] }])),
    seek: (partition, offset) => connection.seek({ topic, partition, offset: String(offset) }),
    commit: (offsets) =>
      connection.commitOffsets(offsets.map(({ partition, offset }) => ({ topic, partition, offset: String(offset) }))),
  };
}

/**
 * After the consumer has crashed, kafkajs throws for every call, but handlers of messages in memory still end and cause
 * calls. The error is ignored, because the next join sets the state of every partition.
 */
function ifRunning(set: () => void): void {
  try {
    set();
  } catch {}
}

/**
 * Whether only an operator can resolve the error: the credentials are wrong, or the right to create the topic is
 * missing.
 */
function isForGood(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof TopicCannotBeMade || error.name === 'KafkaJSSASLAuthenticationError') return true;
  return isForGood(error.cause);
}
