import type { JsonObject } from '../kernel/json/json.js';

/** Receives broadcast messages in one process. Its methods are called one at a time and must not throw. */
export interface Listener {
  heard(message: JsonObject): void;
  /** Called if messages may have been lost since the last one received. */
  lapsed(): void;
}

/** Nothing can be broadcast now, or the port is being closed. Whether this message was delivered is unknown. */
export class BroadcastUnavailable extends Error {}

/** Size limit of a message, in bytes of JSON. */
export const largestBroadcast = 256 * 1024;

/**
 * Sends messages to all processes, whereas `Messages` hands work to one of them. A process receives messages that are
 * published after it began to listen, including its own, each at most once. Messages of one process arrive in the order
 * in which they were published. A process that could not be reached misses messages and is notified by `lapsed`.
 * Nothing is stored for processes that listen later.
 */
export abstract class Broadcast {
  /** Whether other processes may be listening. */
  abstract readonly isShared: boolean;

  /**
   * Sets the log that this process works on. Processes of the same log exchange messages; messages of other logs are
   * ignored.
   */
  abstract belongTo(log: string): void;

  /**
   * Publishes a message of at most `largestBroadcast` bytes. Resolves when the broker has accepted the message;
   * listening processes may receive it later. Without a broker, this process receives it at once or, if another message
   * is being received, after that.
   * @throws BroadcastUnavailable
   */
  abstract publish(message: JsonObject): Promise<void>;

  /**
   * Starts listening. May be called once per process. If the broker is unavailable, the promise resolves anyway;
   * listening begins when the broker is back, with a call of `lapsed`.
   */
  abstract listen(listener: Listener): Promise<void>;

  /** Checks that this process receives messages of others now. Rejects with the reason if it does not. */
  abstract check(): Promise<void>;

  /** Stops listening. No message is received afterwards. */
  abstract close(): Promise<void>;
}
