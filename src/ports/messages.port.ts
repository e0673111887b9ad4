import type { JsonObject } from '../kernel/json/json.js';

export interface Message {
  /** A message published twice has the same id. A consumer may receive it twice and must act once. */
  readonly id: string;
  /**
   * Messages of one key are handled one at a time, in the order of publication. Keys with the same text up to the slash
   * form a group; within a process groups share fairly, however many keys and messages each has waiting.
   */
  readonly key: string;
  readonly value: JsonObject;
  /** Published again because it seemed lost. Others of its key may be lost too: `Consumer.queued` finds them. */
  readonly again?: true;
}

export interface Consumer {
  readonly topic: string;
  /** How many keys may be handled concurrently. */
  readonly concurrency: number;
  /** Resolves when the message is done. If it rejects, the message is delivered again after a pause. */
  handle(message: Message): Promise<void>;
  /**
   * The unfinished work of a key from the read models, at most `limit` messages, oldest first. With this, the port
   * holds few messages of a key in memory, acknowledges further ones, and asks for them when it gets to them, so that a
   * busy key does not block others. `known`: at least one of the key's messages. A read model that does not include
   * these yet might lack others too, so then it waits or rejects.
   */
  queued?(key: string, known: readonly Message[], limit: number): Promise<readonly Message[]>;
}

/** A running delivery to one consumer. */
export interface Consumption {
  /** Delivers nothing more and waits up to `graceMs` for messages being handled. Unfinished messages are retained. */
  stop(graceMs: number): Promise<void>;
}

/** The load of a topic that this process consumes. */
export interface TopicLoad {
  /** Number of keys with more messages queued than are held in memory. */
  readonly busyKeys: number;
  readonly topic: string;
  /** Published messages that are not done. Kafka: those in this process's share of the topic. */
  readonly waiting: number;
  /** Set if several processes share the topic. */
  readonly share?: {
    /** Partitions of the topic; undefined until the brokers have reported them. */
    readonly all: number | undefined;
    /** Partitions assigned to this process. */
    readonly assigned: number;
    /** Assigned partitions that are paused, because many of their messages are in progress. */
    readonly paused: number;
    /** How often this process was assigned a share, since it started. */
    readonly rebalances: number;
  };
}

export interface MessagesLoad {
  readonly topics: readonly TopicLoad[];
  /** Publications that were not acknowledged, since this process started. */
  readonly notAcknowledged: number;
}

/**
 * Messages cannot be published now, or the port is being closed. Whether this message was published is unknown;
 * published again with the same id, it may be delivered twice.
 */
export class MessagesUnavailable extends Error {}

/**
 * Hands work from one process to another, at least once. The log is the source of truth: a lost message is detected in
 * the read models after a minute, and published again.
 */
export abstract class Messages {
  /** Whether messages survive this process. If not, the next process publishes them again from the log. */
  abstract readonly durable: boolean;

  /** Messages from this process to itself, which it loses when it ends. In-process: the same port. */
  abstract readonly here: Messages;

  /** Identifies the log, before any message is published: messages of other logs are ignored. */
  abstract belongTo(log: string): void;

  /**
   * In-process: queued when it resolves. Kafka: stored on the brokers when it resolves; rejects after a bounded time if
   * they cannot be reached. @throws MessagesUnavailable
   */
  abstract publish(topic: string, message: Message): Promise<void>;

  /**
   * Starts delivery with the oldest unfinished message. One consumer per topic in a process; processes share a topic's
   * keys. If the brokers are unavailable it resolves anyway, and delivery starts once they are back. A message that
   * another process was handling when it died is delivered again, followed by the later messages of its key.
   */
  abstract consume(consumer: Consumer): Promise<Consumption>;

  /**
   * Published messages that are not done. Kafka: those in this process's share of the topic, as far as it was fetched,
   * without acknowledged ones that are looked up later.
   */
  abstract waiting(topic: string): number;

  /** For the metrics. Never rejects: values that cannot be read now are the last known ones. */
  abstract load(): Promise<MessagesLoad>;

  /** Whether messages can be published now; rejects with the reason. */
  abstract check(): Promise<void>;

  /** Ends publishing and consuming. Messages being handled may finish within `graceMs`. */
  abstract close(graceMs: number): Promise<void>;
}
