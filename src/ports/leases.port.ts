import type { JsonObject } from '../kernel/json/json.js';

/** A process of the service, as seen through its heartbeats. */
export interface LivingProcess {
  readonly name: string;
  /** Data that the process reported about itself in its last heartbeat. */
  readonly note: JsonObject;
  /** Whether this process has received no heartbeat from it for longer than `silenceMs`. */
  readonly silent: boolean;
}

/**
 * Decides which of several processes does work that only one may do. A lease belongs to a process as long as it sends
 * heartbeats. Clocks need not agree, because each observer measures the silence of others itself. A process that was
 * paused may continue for a moment after another has acquired its lease. Its writes are fenced: each must move a
 * checkpoint that the new holder has already moved, so it fails.
 */
export abstract class Leases {
  /** A process that is silent for this long may lose its leases. */
  abstract readonly silenceMs: number;

  /** Heartbeat interval: an eighth of `silenceMs`, but at most a second. If `silenceMs` is 0, a second. */
  get beatEveryMs(): number {
    return this.silenceMs === 0 ? 1_000 : Math.min(1_000, this.silenceMs / 8);
  }

  /** Interval at which the work of lost processes is recovered. */
  get settleEveryMs(): number {
    return 5 * this.beatEveryMs;
  }

  /**
   * Sends a heartbeat. The first one registers the process. Returns false if another process has removed this one with
   * `giveUp` since the last heartbeat. Its leases are then lost, and the next heartbeat registers it again.
   */
  abstract beat(process: string, note: JsonObject): Promise<boolean>;

  /** Returns all registered processes that have not left and have not been given up. */
  abstract processes(): Promise<readonly LivingProcess[]>;

  /**
   * Returns true if the process has the lease now, because the process already had it, the lease was free, or its
   * former holder is silent or gone.
   */
  abstract acquire(lease: string, process: string): Promise<boolean>;

  /** Releases a lease; does nothing if another process has it. Idempotent. */
  abstract release(lease: string, process: string): Promise<void>;

  /** Returns the holder of each lease, by name of the lease. */
  abstract holders(): Promise<ReadonlyMap<string, string>>;

  /** Removes a process and its leases if the process is still silent. Returns whether it did. */
  abstract giveUp(process: string): Promise<boolean>;

  /** Removes a process that is about to exit. Its leases become free at once. Idempotent. */
  abstract leave(process: string): Promise<void>;

  abstract close(): Promise<void>;
}
