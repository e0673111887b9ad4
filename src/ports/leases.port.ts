import type { JsonObject } from '../kernel/json/json.js';

export interface LivingProcess {
  readonly name: string;
  readonly note: JsonObject;
  readonly silent: boolean;
}

/**
 * Decides which of several processes does work that only one may do. Clocks need not agree, because each process
 * measures for itself how long the others have sent no heartbeat. A process that was paused may continue for a moment
 * after another process has acquired the lease. Writes of the paused process are fenced: each must move a checkpoint
 * that the new holder has already moved, so the write fails.
 */
export abstract class Leases {
  /** Another process may take the leases of a process that has sent no heartbeat for this long. */
  abstract readonly silenceMs: number;

  get beatEveryMs(): number {
    return this.silenceMs === 0 ? 1_000 : Math.min(1_000, this.silenceMs / 8);
  }

  get settleEveryMs(): number {
    return 5 * this.beatEveryMs;
  }

  /**
   * The first heartbeat registers the process. Returns false if another process has removed this one with `giveUp`
   * since the last heartbeat. Its leases are then lost, and the next heartbeat registers it again.
   */
  abstract beat(process: string, note: JsonObject): Promise<boolean>;

  abstract processes(): Promise<readonly LivingProcess[]>;

  /**
   * Returns true if the process has the lease now, because it already had the lease, the lease was free, or the former
   * holder is silent or gone.
   */
  abstract acquire(lease: string, process: string): Promise<boolean>;

  /** Does nothing if another process has the lease. Idempotent. */
  abstract release(lease: string, process: string): Promise<void>;

  abstract holders(): Promise<ReadonlyMap<string, string>>;

  /** Removes a process and its leases if the process is still silent. Returns whether it did. */
  abstract giveUp(process: string): Promise<boolean>;

  /** Removes a process that is about to exit. Its leases become free at once. Idempotent. */
  abstract leave(process: string): Promise<void>;

  abstract close(): Promise<void>;
}
