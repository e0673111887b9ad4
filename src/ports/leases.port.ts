import type { JsonObject } from '../kernel/json.js';

/** A process of the service, as its signs of life show it. */
export interface LivingProcess {
  readonly name: string;
  /** What it said of itself with its last sign of life. */
  readonly note: JsonObject;
  /** No sign of life was seen from here for longer than `silenceMs`. */
  readonly silent: boolean;
}

/**
 * Who of several processes does what only one may do. A lease belongs to a process for as long as that gives signs of
 * life; nobody's clock has to agree with another's, because silence is measured by whoever listens. A process that was
 * held up may go on for a moment after another has taken its lease: what it writes is fenced by the checkpoint it
 * would have to move, which the other one has moved.
 */
export abstract class Leases {
  /** A process that is silent for so long may be relieved of its leases. */
  abstract readonly silenceMs: number;

  /**
   * A sign of life; the first one makes the process known. False when it was known before and was given up by the
   * others meanwhile: its leases are gone, and the next sign makes it known anew.
   */
  abstract beat(process: string, note: JsonObject): Promise<boolean>;

  /** All that gave a sign of life and have not left or been given up. */
  abstract processes(): Promise<readonly LivingProcess[]>;

  /** True when the lease is this process's, because it was, was free, or its holder is silent or gone. */
  abstract acquire(lease: string, process: string): Promise<boolean>;

  /** Gives a lease back; another's is left as it is. May be repeated. */
  abstract release(lease: string, process: string): Promise<void>;

  /** Who holds what. */
  abstract holders(): Promise<ReadonlyMap<string, string>>;

  /** Forgets a process that is silent still, and with it its leases; answers whether it was. Nobody mistakes it for alive after. */
  abstract giveUp(process: string): Promise<boolean>;

  /** This process ends: its leases are free at once. May be repeated. */
  abstract leave(process: string): Promise<void>;

  abstract close(): Promise<void>;
}
