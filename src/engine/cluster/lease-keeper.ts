import { Injectable, Logger } from '@nestjs/common';
import type { JsonObject } from '../../kernel/json/json.js';
import { reasonOf } from '../../kernel/reason.js';
import { throttledLog } from '../../kernel/throttled-log.js';
import { Clock } from '../../ports/clock.port.js';
import { Leases } from '../../ports/leases.port.js';
import { ProcessName } from './process-name.js';

export interface Duty {
  readonly name: string;
  /**
   * `stop` may be called before the promise resolves. Once `stop` has resolved, nothing that `start` began may still
   * run.
   */
  start(): Promise<void>;
  stop(): Promise<void>;
}

interface DutyState {
  readonly duty: Duty;
  /** Defined while this process has the lease. */
  lease: { started: boolean } | undefined;
  ending: Promise<void> | undefined;
}

/** If a process dies, its duties are taken over within `leases.silenceMs` plus two heartbeats. */
@Injectable()
export class LeaseKeeper {
  private readonly log = new Logger('Leases');
  private readonly warn = throttledLog((sentence) => this.log.warn(sentence));
  private readonly duties = new Map<string, DutyState>();
  private note: () => JsonObject = () => ({});
  private callOff: (() => void) | undefined;
  private ended = false;

  constructor(
    private readonly leases: Leases,
    private readonly clock: Clock,
    private readonly process: ProcessName,
  ) {}

  async begin(note: () => JsonObject): Promise<void> {
    this.note = note;
    await this.leases.beat(this.process.value, note());
    this.next();
  }

  /**
   * Returns whether this process now has the lease and has started the duty. If not, or if this throws, the keeper
   * tries again at every heartbeat.
   * @throws the error of `start`
   */
  async add(duty: Duty): Promise<boolean> {
    const state: DutyState = { duty, lease: undefined, ending: undefined };
    this.duties.set(duty.name, state);
    return this.tryFor(state);
  }

  /** Also true while the duty is still starting. */
  holds(name: string): boolean {
    return this.duties.get(name)?.lease !== undefined;
  }

  hasStarted(name: string): boolean {
    return this.duties.get(name)?.lease?.started === true;
  }

  get acquired(): readonly string[] {
    return [...this.duties].filter(([, { lease }]) => lease !== undefined).map(([name]) => name);
  }

  lost(name: string): void {
    const state = this.duties.get(name);
    if (state?.lease === undefined || state.ending !== undefined) return;
    this.log.warn(`${name} was taken over by another process, so this one stops doing it.`);
    this.end(state).catch((error: unknown) =>
      this.log.warn(`${name} could not be stopped cleanly: ${reasonOf(error)}`),
    );
  }

  async drop(name: string): Promise<void> {
    const state = this.duties.get(name);
    this.duties.delete(name);
    if (state !== undefined) await this.end(state);
  }

  async stop(): Promise<void> {
    this.ended = true;
    this.callOff?.();
    await Promise.all([...this.duties.keys()].map((name) => this.drop(name)));
    await this.leases
      .leave(this.process.value)
      .catch((error: unknown) =>
        this.log.warn(
          `This process could not deregister; the others notice when its heartbeats stop: ${reasonOf(error)}`,
        ),
      );
  }

  private next(): void {
    if (this.ended) return;
    this.callOff = this.clock.after(this.leases.beatEveryMs, () => {
      this.beat()
        .catch((error: unknown) => this.log.debug(`A heartbeat could not be recorded: ${reasonOf(error)}`))
        .finally(() => this.next());
    });
  }

  private async beat(): Promise<void> {
    if (!(await this.leases.beat(this.process.value, this.note()))) {
      this.log.warn('Other processes considered this process dead; it registers again.');
    }
    const acquired = this.acquired;
    const holders = await this.leases.holders();
    for (const name of acquired) if (holders.get(name) !== this.process.value) this.lost(name);
    for (const state of this.duties.values()) if (state.lease === undefined) this.tryFor(state).catch(() => undefined);
  }

  private async tryFor(state: DutyState): Promise<boolean> {
    const { name } = state.duty;
    if (!(await this.leases.acquire(name, this.process.value)) || this.duties.get(name) !== state) return false;
    if (state.lease !== undefined) return true;
    const lease = { started: false };
    state.lease = lease;
    try {
      await state.duty.start();
      // If the duty was stopped during its start, `start` resolves early without having started the duty.
      lease.started = state.ending === undefined;
      return true;
    } catch (error) {
      this.warn(`${name} could not be started and is retried: ${reasonOf(error)}`);
      // If the duty was stopped during its start, it may already be starting again with a new lease. In this case it
      // must not be ended.
      if (state.lease === lease) await this.end(state).catch(() => undefined);
      throw error;
    }
  }

  private async end(state: DutyState): Promise<void> {
    if (state.lease === undefined) return;
    state.ending ??= this.stopped(state);
    await state.ending;
  }

  private async stopped(state: DutyState): Promise<void> {
    try {
      await state.duty.stop();
    } finally {
      state.lease = undefined;
      state.ending = undefined;
      await this.leases.release(state.duty.name, this.process.value).catch(() => undefined);
    }
  }
}

/**
 * There is nothing to start or stop: the timers of the scheduler run in every process, and do something only while the
 * process has this duty.
 */
export const schedulerDuty: Duty = {
  name: 'scheduler',
  start: async () => undefined,
  stop: async () => undefined,
};
