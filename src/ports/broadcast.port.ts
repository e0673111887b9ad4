import type { JsonObject } from '../kernel/json/json.js';

/** What a process does with what it hears. Neither may throw, and both are called one at a time. */
export interface Listener {
  heard(message: JsonObject): void;
  /** Messages may have been lost since the last one that was heard. */
  lapsed(): void;
}

/** Nothing can be broadcast now, or the port is being closed. Whether this message is heard is unknown. */
export class BroadcastUnavailable extends Error {}

/** In bytes of JSON. */
export const largestBroadcast = 256 * 1024;

/**
 * Tells all processes at once, beside `Messages`, which hands work to one of them. Every process that listens hears each
 * message that is published from then on once, its own included, and those of one process in the order in which they were
 * published. It is at most once: what is published while a process cannot be reached may never be heard there, and that
 * process is told that it has missed something. Nothing is kept for those who listen later.
 */
export abstract class Broadcast {
  /** Whether other processes may listen. */
  abstract readonly isShared: boolean;

  /** Names the log whose processes talk to one another: messages of other logs are not heard. */
  abstract belongTo(log: string): void;

  /**
   * Resolves when the message is on its way to every process that listens. At most `largestBroadcast`.
   * @throws BroadcastUnavailable
   */
  abstract publish(message: JsonObject): Promise<void>;

  /** Once in a process. If the engine is away it resolves anyway, and listening begins when it is back, with `lapsed`. */
  abstract listen(listener: Listener): Promise<void>;

  /** Whether this process hears the others now; rejects with the reason. */
  abstract check(): Promise<void>;

  /** Nothing is heard afterwards. */
  abstract close(): Promise<void>;
}
