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
 * Decides which of several processes does work that only one may do. A lease belongs to a process for as long as it
 * sends heartbeats. Clocks need not agree, because each observer measures silence itself. A process that was paused may
 * continue for a moment after another has acquired its lease. Its writes are fenced: they must move a checkpoint that
 * the new holder has already moved.
 */
export abstract class Leases {
  /** A process that is silent for this long may lose its leases. */
  abstract readonly silenceMs: number;

  /** Heartbeat interval. It gives several heartbeats within `silenceMs`, and at least one a second. */
  get beatEveryMs(): number {
    return this.silenceMs === 0 ? 1_000 : Math.min(1_000, this.silenceMs / 8);
  }

  /** Interval at which the work of lost processes is recovered. */
  get settleEveryMs(): number {
    return 5 * this.beatEveryMs;
  }

  /**
   * Sends a heartbeat. The first one registers the process. Returns false if the process was registered but others have
   * given it up since: its leases are lost, and the next heartbeat registers it again.
   */
  abstract beat(process: string, note: JsonObject): Promise<boolean>;

  /** Returns all registered processes that have not left or been given up. */
  abstract processes(): Promise<readonly LivingProcess[]>;

  /**
   * Returns true if the process has the lease now, because it had it already, it was free, or its holder is silent or
   * gone.
   */
  abstract acquire(lease: string, process: string): Promise<boolean>;

  /** Releases a lease; does nothing if another process has it. Idempotent. */
  abstract release(lease: string, process: string): Promise<void>;

  /** Returns the process that holds each lease, by lease. */
  abstract holders(): Promise<ReadonlyMap<string, string>>;

  /**
   * Removes a process that is still silent, together with its leases, so that it is no longer considered alive. Returns
   * whether it did.
   */
  abstract giveUp(process: string): Promise<boolean>;

  /** Called by a process that ends: its leases become free at once. Idempotent. */
  abstract leave(process: string): Promise<void>;

  abstract close(): Promise<void>;
}
