import type { JsonObject } from '../kernel/json/json.js';

export interface Message {
  /**
   * Id of the message. A message that is published twice has the same id; a consumer may receive it twice and must act
   * once.
   */
  readonly id: string;
  /**
   * Messages with the same key are handled one at a time, in the order of publication. Keys with the same text up to
   * the slash form a group. Within a process, groups get fair shares, no matter how many keys and waiting messages each
   * has.
   */
  readonly key: string;
  readonly value: JsonObject;
  /**
   * Set if the message is published again because it seemed lost. Other messages of its key may be lost too, so the
   * port also asks `Consumer.queued` for them.
   */
  readonly again?: true;
}

export interface Consumer {
  readonly topic: string;
  /** Number of keys that may be handled concurrently. */
  readonly concurrency: number;
  /** Resolves when the message is done. If it rejects, the message is redelivered after a pause. */
  handle(message: Message): Promise<void>;
  /**
   * Returns the unfinished work of a key from the read models, at most `limit` messages, oldest first. If a consumer
   * implements this, the port holds only a few messages of a key in memory, acknowledges the others, and asks for them
   * when their turn comes, so a busy key does not block others. `known` contains at least one of the key's messages. If
   * the read models do not include these yet, they may lack others too, so the method waits or rejects.
   */
  queued?(key: string, known: readonly Message[], limit: number): Promise<readonly Message[]>;
}

/** A running delivery to one consumer. */
export interface Consumption {
  /**
   * Stops delivery and waits up to `graceMs` milliseconds for messages being handled. Unfinished messages are retained.
   */
  stop(graceMs: number): Promise<void>;
}

/** The load of a topic that this process consumes. */
export interface TopicLoad {
  /** Number of keys with more queued messages than are held in memory. */
  readonly busyKeys: number;
  readonly topic: string;
  /** Published messages that are not done. With Kafka, only those in this process's share of the topic. */
  readonly waiting: number;
  /** Set if several processes share the topic. */
  readonly share?: {
    /** Number of partitions of the topic. Undefined until the brokers have reported it. */
    readonly all: number | undefined;
    /** Number of partitions assigned to this process. */
    readonly assigned: number;
    /** Number of assigned partitions that are paused because many of their messages are in progress. */
    readonly paused: number;
    /** Number of times that this process was assigned a share since it started. */
    readonly rebalances: number;
  };
}

export interface MessagesLoad {
  readonly topics: readonly TopicLoad[];
  /** Number of publications that were not acknowledged since this process started. */
  readonly notAcknowledged: number;
}

/**
 * Messages cannot be published now, or the port is being closed. Whether this message was published is unknown. If it
 * is published again with the same id, it may be delivered twice.
 */
export class MessagesUnavailable extends Error {}

/**
 * Hands work from one process to another, at least once. The log is the source of truth. The recovery of jobs finds a
 * lost message in the read models after a minute and publishes it again.
 */
export abstract class Messages {
  /** Whether messages survive this process. If not, the next process publishes them again from the log. */
  abstract readonly durable: boolean;

  /**
   * A port for messages from this process to itself, which are lost when the process ends. Undefined if this port is
   * itself in-process.
   */
  abstract readonly here: Messages | undefined;

  /** Sets the log to which messages belong, before any is published. Messages of other logs are ignored. */
  abstract belongTo(log: string): void;

  /**
   * Publishes a message. In-process, it is queued when the promise resolves. With Kafka, it is stored on the brokers
   * when the promise resolves; the promise rejects after a bounded time if they cannot be reached. @throws
   * MessagesUnavailable
   */
  abstract publish(topic: string, message: Message): Promise<void>;

  /**
   * Starts delivery with the oldest unfinished message. A process may have one consumer per topic; processes share a
   * topic's keys. If the brokers are unavailable, the promise resolves anyway, and delivery starts once they are back.
   * A message that another process was handling when it died is delivered again, followed by the later messages of its
   * key.
   */
  abstract consume(consumer: Consumer): Promise<Consumption>;

  /**
   * Returns the number of published messages that are not done. With Kafka, it includes only messages that this process
   * has fetched from its share of the topic, and no acknowledged ones that `Consumer.queued` returns later.
   */
  abstract waiting(topic: string): number;

  /** Returns the load for the metrics. Never rejects: a value that cannot be read now is the last known one. */
  abstract load(): Promise<MessagesLoad>;

  /** Checks that messages can be published now. Rejects with the reason if they cannot. */
  abstract check(): Promise<void>;

  /** Ends publishing and consuming. Messages being handled may finish within `graceMs` milliseconds. */
  abstract close(graceMs: number): Promise<void>;
}
