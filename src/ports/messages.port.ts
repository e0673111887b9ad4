import type { JsonObject } from '../kernel/json.js';

export interface Message {
  /** The same message published twice has the same id; a consumer may see it twice and acts once. */
  readonly id: string;
  /** Messages of one key are handled one after the other, in the order they were published. */
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

/**
 * Work handed from one process to another, at least once. The log is the truth: what a crash takes from here is found
 * there and published again.
 */
export abstract class Messages {
  /** In-process: queued when it resolves. Kafka: on the brokers when it resolves. */
  abstract publish(topic: string, message: Message): Promise<void>;

  abstract consume(consumer: Consumer): Promise<void>;

  /** Messages published and not done with, for the metrics. */
  abstract waiting(topic: string): number;

  /** Ends consuming: what is in hand is finished within `graceMs`. */
  abstract close(graceMs: number): Promise<void>;
}
