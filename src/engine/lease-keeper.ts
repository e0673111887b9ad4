import { Injectable, Logger } from '@nestjs/common';
import type { JsonObject } from '../kernel/json.js';
import { reasonOf } from '../kernel/reason.js';
import { Clock } from '../ports/clock.port.js';
import { Leases } from '../ports/leases.port.js';
import { ProcessName } from './process-name.js';

/** Work that one process at a time does. */
export interface Duty {
  /** Its lease's name, e.g. `read-model/functions`. */
  readonly name: string;
  /** Begins; resolves when it is under way. `stop` may be called meanwhile. */
  start(): Promise<void>;
  /** Resolves when nothing of it goes on. */
  stop(): Promise<void>;
}

interface Kept {
  readonly duty: Duty;
  /** From the beginning of `start` to the end of `stop`. */
  ours: boolean;
  ending: Promise<void> | undefined;
}

/** A sign of life so often; a lease of a dead process is taken within its silence and two of these. */
const beatEveryMs = 1_000;

/** Does the duties whose leases this process gets, for as long as it has them, and tries for the others. */
@Injectable()
export class LeaseKeeper {
  private readonly log = new Logger('Leases');
  private readonly duties = new Map<string, Kept>();
  private note: () => JsonObject = () => ({});
  private callOff: (() => void) | undefined;
  private ended = false;

  constructor(
    private readonly leases: Leases,
    private readonly clock: Clock,
    private readonly process: ProcessName,
  ) {}

  /** Makes this process known to the others. `note` is what its signs of life say of it. */
  async begin(note: () => JsonObject): Promise<void> {
    this.note = note;
    await this.leases.beat(this.process.value, note());
    this.next();
  }

  /**
   * Tries for the duty now, and for ever after. Answers whether this process has it; then it is under way.
   * @throws what its start threw; it is tried again
   */
  async keep(duty: Duty): Promise<boolean> {
    const kept: Kept = { duty, ours: false, ending: undefined };
    this.duties.set(duty.name, kept);
    return this.tryFor(kept);
  }

  /** Whether this process does it now. */
  holds(name: string): boolean {
    return this.duties.get(name)?.ours === true;
  }

  /** Names of the duties that this process does now. */
  get held(): readonly string[] {
    return [...this.duties].filter(([, { ours }]) => ours).map(([name]) => name);
  }

  /** The duty found another at its work: this process leaves it, and tries for it again like any other. */
  lost(name: string): void {
    const kept = this.duties.get(name);
    if (kept === undefined || !kept.ours || kept.ending !== undefined) return;
    this.log.warn(`${name} is done by another process; this one leaves it.`);
    this.end(kept).catch((error: unknown) => this.log.warn(`${name} did not end well: ${reasonOf(error)}`));
  }

  /** Ends a duty and gives its lease back; it is not tried for again. */
  async drop(name: string): Promise<void> {
    const kept = this.duties.get(name);
    this.duties.delete(name);
    if (kept !== undefined) await this.end(kept);
  }

  /** Ends all duties and leaves: the others take over at once. */
  async stop(): Promise<void> {
    this.ended = true;
    this.callOff?.();
    await Promise.all([...this.duties.keys()].map((name) => this.drop(name)));
    await this.leases
      .leave(this.process.value)
      .catch((error: unknown) => this.log.warn(`The others find out by its silence that it left: ${reasonOf(error)}`));
  }

  private next(): void {
    if (this.ended) return;
    this.callOff = this.clock.after(beatEveryMs, () => {
      this.beat()
        .catch((error: unknown) => this.log.debug(`No sign of life could be given: ${reasonOf(error)}`))
        .finally(() => this.next());
    });
  }

  private async beat(): Promise<void> {
    if (!(await this.leases.beat(this.process.value, this.note()))) {
      this.log.warn('The others took this process for dead; it begins anew.');
    }
    const held = this.held;
    const holders = await this.leases.holders();
    for (const name of held) if (holders.get(name) !== this.process.value) this.lost(name);
    for (const kept of this.duties.values()) if (!kept.ours) this.tryFor(kept).catch(() => undefined);
  }

  private async tryFor(kept: Kept): Promise<boolean> {
    const { name } = kept.duty;
    if (!(await this.leases.acquire(name, this.process.value)) || this.duties.get(name) !== kept) return false;
    if (kept.ours) return true;
    kept.ours = true;
    try {
      await kept.duty.start();
      return true;
    } catch (error) {
      this.log.warn(`${name} could not begin and is tried again: ${reasonOf(error)}`);
      await this.end(kept).catch(() => undefined);
      throw error;
    }
  }

  private async end(kept: Kept): Promise<void> {
    if (!kept.ours) return;
    kept.ending ??= this.stopped(kept);
    await kept.ending;
  }

  private async stopped(kept: Kept): Promise<void> {
    try {
      await kept.duty.stop();
    } finally {
      kept.ours = false;
      kept.ending = undefined;
      await this.leases.release(kept.duty.name, this.process.value).catch(() => undefined);
    }
  }
}
