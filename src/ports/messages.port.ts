import type { JsonObject } from '../kernel/json.js';

export interface Message {
  /** The same message published twice has the same id; a consumer may see it twice and acts once. */
  readonly id: string;
  /**
   * Messages of one key are handled one after the other, in the order they were published. Keys that begin alike up to
   * a slash are a group: within a process groups take turns, however many keys and messages each has waiting.
   */
  readonly key: string;
  readonly value: JsonObject;
}

export interface Consumer {
  readonly topic: string;
  /** How many keys may be in hand at once. */
  readonly concurrency: number;
  /** Resolves when the message is done with. When it rejects, the message is handed over again after a pause. */
  handle(message: Message): Promise<void>;
}

/** Handing over to one consumer. */
export interface Consumption {
  /** Hands over nothing more, and gives what is in hand so long to end. What is not done with is kept. */
  stop(graceMs: number): Promise<void>;
}

/**
 * Messages cannot be handed over now, or these are being closed. Whether this one was handed over is not known:
 * published again under the same id it may be seen twice.
 */
export class MessagesUnavailable extends Error {}

/**
 * Work handed from one process to another, at least once. The log is the truth: what a crash takes from here is found
 * there and published again.
 */
export abstract class Messages {
  /** Whether messages outlive this process. Those that do not are published again, from the log, by the next one. */
  abstract readonly durable: boolean;

  /**
   * In-process: queued when it resolves. Kafka: on the brokers when it resolves, and rejected after a bounded time when
   * they cannot be reached.
   * @throws MessagesUnavailable
   */
  abstract publish(topic: string, message: Message): Promise<void>;

  /**
   * Begins handing over, from the oldest message that is not done with. One consumer a topic in a process; processes
   * share a topic's keys. When the brokers are away it resolves all the same and begins by itself once they are back.
   * A message that another process had in hand when it was lost comes again; what comes after it in its key follows.
   */
  abstract consume(consumer: Consumer): Promise<Consumption>;

  /** Messages published and not done with, for the metrics. Kafka: in the share of the topic that is this process's. */
  abstract waiting(topic: string): number;

  /** Whether messages can be handed over now; rejects with the reason. */
  abstract check(): Promise<void>;

  /** Ends publishing and consuming: what is in hand is finished within `graceMs`. */
  abstract close(graceMs: number): Promise<void>;
}
