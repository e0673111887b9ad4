import type { JsonObject } from '../kernel/json/json.js';

/** The methods are called one at a time and must not throw. */
export interface Listener {
  heard(message: JsonObject): void;
  /** Called if messages may have been lost since the last one received. */
  lapsed(): void;
}

/** Whether the message was delivered is unknown. */
export class BroadcastUnavailable extends Error {}

/** Size limit of a message, in bytes of JSON. */
export const largestBroadcast = 256 * 1024;

/**
 * Sends messages to all processes, whereas `Messages` hands work to one of them. A process receives messages published
 * after it began to listen, including its own, each at most once. Messages of one process arrive in the order in which
 * they were published. Nothing is stored for a process that cannot be reached or listens later.
 */
export abstract class Broadcast {
  abstract readonly isShared: boolean;

  /** Processes of the same log exchange messages; messages of other logs are ignored. */
  abstract belongTo(log: string): void;

  /**
   * Resolves when the broker, if any, has accepted the message; processes may receive it later.
   * @throws BroadcastUnavailable
   */
  abstract publish(message: JsonObject): Promise<void>;

  /**
   * Must be called at most once per process. If the broker is unavailable, the promise resolves anyway; once the broker
   * is back, listening begins and `lapsed` is called.
   */
  abstract listen(listener: Listener): Promise<void>;

  /** Rejects with the reason if this process does not receive messages of other processes now. */
  abstract check(): Promise<void>;

  /** No message is received afterwards. */
  abstract close(): Promise<void>;
}
