import type { JsonObject } from '../kernel/json/json.js';

export interface Message {
  /** The same message published twice has the same id; a consumer may see it twice and acts once. */
  readonly id: string;
  /**
   * Messages of one key are handled one after the other, in the order they were published. Keys with the same text up to
   * the slash form a group; within a process the groups take turns, however many keys and messages each has waiting.
   */
  readonly key: string;
  readonly value: JsonObject;
  /** Published again, because it was missing: so may be others of its key, and `Consumer.queued` names them. */
  readonly again?: true;
}

export interface Consumer {
  readonly topic: string;
  /** How many keys may be handled at once. */
  readonly concurrency: number;
  /** Resolves when the message is done. When it rejects, the message is delivered again after a pause. */
  handle(message: Message): Promise<void>;
  /**
   * What of a key is still to be done, at most `limit`, oldest first, as the read models tell it. With this, the port
   * holds few messages of a key, takes further ones as done with, and asks for them as it comes to them, so that a busy
   * key holds up no other. `known`: some of its messages, one at least. A read model that does not include these yet
   * would leave out others too, so then it waits or rejects.
   */
  queued?(key: string, known: readonly Message[], limit: number): Promise<readonly Message[]>;
}

/** A running delivery to one consumer. */
export interface Consumption {
  /** Delivers nothing more and waits up to `graceMs` for messages being handled. Unfinished messages are kept. */
  stop(graceMs: number): Promise<void>;
}

/** What a process has to do with a topic that it consumes. */
export interface TopicLoad {
  /** Of how many keys more is queued than is held here. */
  readonly busyKeys: number;
  readonly topic: string;
  /** Published messages that are not done. Kafka: those in this process's share of the topic. */
  readonly waiting: number;
  /** Where several processes share a topic. */
  readonly share?: {
    /** Partitions of the topic; undefined as long as brokers have not said so. */
    readonly all: number | undefined;
    /** Partitions that this process has. */
    readonly assigned: number;
    /** Of these, the ones that are not fetched for now, because so much of them is in hand. */
    readonly paused: number;
    /** How often this process was given a share, since it started. */
    readonly rebalances: number;
  };
}

export interface MessagesLoad {
  readonly topics: readonly TopicLoad[];
  /** Publications that were not acknowledged, since the start of this process. */
  readonly notAcknowledged: number;
}

/**
 * Messages cannot be published now, or the port is being closed. Whether this message was published is unknown: if it is
 * published again with the same id, it may be seen twice.
 */
export class MessagesUnavailable extends Error {}

/**
 * Hands work from one process to another, at least once. The log is the source of truth: what is lost here is found in the
 * read models after a minute, and published again.
 */
export abstract class Messages {
  /** Whether messages survive this process. If not, the next process publishes them again from the log. */
  abstract readonly durable: boolean;

  /** Names the log whose work is handed over, before any of it is: messages of other logs are passed over. */
  abstract belongTo(log: string): void;

  /**
   * In-process: queued when it resolves. Kafka: on the brokers when it resolves, and rejected after a bounded time when
   * they cannot be reached.
   * @throws MessagesUnavailable
   */
  abstract publish(topic: string, message: Message): Promise<void>;

  /**
   * Starts delivery with the oldest unfinished message. One consumer per topic in a process; processes share a topic's
   * keys. If the brokers are unavailable it resolves anyway, and delivery starts once they are back. A message that
   * another process was handling when it died is delivered again, followed by the later messages of its key.
   */
  abstract consume(consumer: Consumer): Promise<Consumption>;

  /**
   * Published messages that are not done. Kafka: those in this process's share of the topic, as far as it has looked, without
   * what it left to be looked up.
   */
  abstract waiting(topic: string): number;

  /** For the metrics. Never rejects: what cannot be asked now is as it was known last. */
  abstract load(): Promise<MessagesLoad>;

  /** Whether messages can be published now; rejects with the reason. */
  abstract check(): Promise<void>;

  /** Ends publishing and consuming. Messages being handled may finish within `graceMs`. */
  abstract close(graceMs: number): Promise<void>;
}
