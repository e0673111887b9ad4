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
 * Sends messages to all processes, whereas `Messages` hands work to one of them. Every listening process, including the
 * sender, receives each message published from then on once, and the messages of one process in the order in which they
 * were published. Delivery is at most once: a process that cannot be reached may never receive a message, and is
 * notified that it missed something. Nothing is stored for processes that listen later.
 */
export abstract class Broadcast {
  /** Whether other processes may be listening. */
  abstract readonly isShared: boolean;

  /** Sets the log whose processes exchange messages. Messages of other logs are ignored. */
  abstract belongTo(log: string): void;

  /**
   * Resolves when the message has been sent to every listening process. The message may have at most `largestBroadcast`
   * bytes. @throws BroadcastUnavailable
   */
  abstract publish(message: JsonObject): Promise<void>;

  /**
   * Starts listening. May be called once per process. If the engine is unavailable, the promise resolves anyway;
   * listening begins when the engine is back, with a call of `lapsed`.
   */
  abstract listen(listener: Listener): Promise<void>;

  /** Checks that this process receives messages of others now. Rejects with the reason if it does not. */
  abstract check(): Promise<void>;

  /** Stops listening. No message is received afterwards. */
  abstract close(): Promise<void>;
}
