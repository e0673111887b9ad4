import type { JsonObject } from '../kernel/json/json.js';

export interface Message {
  /** A message that is published twice has the same id; a consumer may receive it twice and must act once. */
  readonly id: string;
  /**
   * Messages with the same key are handled one at a time, in the order of publication. Keys have the form `group/rest`.
   * Each group gets a fair share of this process, no matter how many keys or waiting messages it has.
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
  readonly concurrency: number;
  /** If the promise rejects, the message is redelivered after a pause. */
  handle(message: Message): Promise<void>;
  /**
   * Returns the oldest unfinished messages of a key, at most `limit`, from the read models. With this method, the port
   * holds only a few messages of a key in memory, so a busy key does not block other keys. If the read models do not
   * include the messages in `known` yet, the method waits or rejects.
   */
  queued?(key: string, known: readonly Message[], limit: number): Promise<readonly Message[]>;
}

export interface Consumption {
  /** Waits up to `graceMs` milliseconds for messages being handled. Unfinished messages are retained. */
  stop(graceMs: number): Promise<void>;
}

export interface TopicLoad {
  readonly busyKeys: number;
  readonly topic: string;
  /**
   * Number of published messages that are not done. With Kafka, counts only the partitions that are assigned to this
   * process.
   */
  readonly waiting: number;
  readonly share?: {
    readonly all: number | undefined;
    readonly assigned: number;
    readonly paused: number;
    readonly rebalances: number;
  };
}

export interface MessagesLoad {
  readonly topics: readonly TopicLoad[];
  readonly notAcknowledged: number;
}

/**
 * Whether the message was published is unknown. If it is published again with the same id, it may be delivered twice.
 */
export class MessagesUnavailable extends Error {}

/**
 * Hands work from one process to another, at least once. A lost message is found in the read models after a minute and
 * published again.
 */
export abstract class Messages {
  /** False if messages are lost with this process. The next process then publishes them again from the log. */
  abstract readonly durable: boolean;

  /**
   * A port for messages from this process to itself, which are lost when the process ends. Undefined if this port is
   * itself in-process.
   */
  abstract readonly here: Messages | undefined;

  /** Must be called before any message is published. Messages of other logs are ignored. */
  abstract belongTo(log: string): void;

  /**
   * When the promise resolves, the message is queued in this process or, with Kafka, stored on the brokers. The promise
   * rejects after a bounded time if the brokers cannot be reached.
   * @throws MessagesUnavailable
   */
  abstract publish(topic: string, message: Message): Promise<void>;

  /**
   * Starts with the oldest unfinished message. A process may have one consumer per topic; processes share a topic's
   * keys. If the brokers are unavailable, the promise resolves anyway, and delivery starts once they are back. A
   * message that another process was handling when it died is delivered again, followed by the later messages of its
   * key.
   */
  abstract consume(consumer: Consumer): Promise<Consumption>;

  /**
   * Number of published messages that are not done. With Kafka, counts only messages that this process has fetched and
   * has not yet acknowledged to the brokers. An acknowledged message that is not done is left out; `Consumer.queued`
   * returns it later.
   */
  abstract waiting(topic: string): number;

  /** Never rejects. For a value that cannot be read now, returns the value that was read last. */
  abstract load(): Promise<MessagesLoad>;

  /** Rejects with the reason if messages cannot be published now. */
  abstract check(): Promise<void>;

  /** Messages being handled may finish within `graceMs` milliseconds. */
  abstract close(graceMs: number): Promise<void>;
}
