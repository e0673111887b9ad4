import type { JsonObject } from '../kernel/json/json.js';

/** A process of the service, as seen through its heartbeats. */
export interface LivingProcess {
  readonly name: string;
  /** What it reported about itself with its last heartbeat. */
  readonly note: JsonObject;
  /** This process has seen no heartbeat of it for longer than `silenceMs`. */
  readonly silent: boolean;
}

/**
 * Decides which of several processes does work that only one may do. A lease belongs to a process as long as it sends
 * heartbeats. Clocks do not have to agree, because each observer measures silence itself. A process that was paused may
 * continue for a moment after another has taken its lease. Its writes are fenced: they have to move a checkpoint that
 * the new holder has already moved.
 */
export abstract class Leases {
  /** A process that is silent for this long may lose its leases. */
  abstract readonly silenceMs: number;

  /** How often a process gives a sign of life: several times in a silence, and every second at least. */
  get beatEveryMs(): number {
    return this.silenceMs === 0 ? 1_000 : Math.min(1_000, this.silenceMs / 8);
  }

  /** How often whoever looks for what lost processes left open does so. */
  get settleEveryMs(): number {
    return 5 * this.beatEveryMs;
  }

  /**
   * A heartbeat; the first one registers the process. False when the process was registered and has been given up by
   * the others meanwhile: its leases are lost, and the next heartbeat registers it again.
   */
  abstract beat(process: string, note: JsonObject): Promise<boolean>;

  /** All registered processes that have not left or been given up. */
  abstract processes(): Promise<readonly LivingProcess[]>;

  /** True when the process holds the lease now: it held it already, it was free, or its holder is silent or gone. */
  abstract acquire(lease: string, process: string): Promise<boolean>;

  /** Gives a lease back; does nothing if another process holds it. May be repeated. */
  abstract release(lease: string, process: string): Promise<void>;

  /** Who holds what. */
  abstract holders(): Promise<ReadonlyMap<string, string>>;

  /** Removes a process that is still silent, with its leases; answers whether it did. It no longer counts as alive. */
  abstract giveUp(process: string): Promise<boolean>;

  /** The process ends: its leases become free at once. May be repeated. */
  abstract leave(process: string): Promise<void>;

  abstract close(): Promise<void>;
}
