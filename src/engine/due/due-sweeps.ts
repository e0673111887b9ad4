import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../../ports/clock.port.js';
import { ReadStore } from '../../ports/read-store.port.js';
import { LeaseKeeper, schedulerDuty } from '../cluster/lease-keeper.js';
import { SingleFlightSweep } from '../cluster/single-flight-sweep.js';
import { DueSweep, type Sweeping, type Timed } from './due-sweep.js';

interface Timer {
  readonly everyMs: number;
  readonly sweep: DueSweep<never, never>;
  readonly sole: SingleFlightSweep;
}

/**
 * Two processes can briefly both believe that they have the scheduler's lease. Each due change is still recorded only
 * once, because every change is decided on the current state of the record.
 */
@Injectable()
export class DueSweeps implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger('Due');
  private readonly timers = new Map<string, Timer>();
  private intervals: readonly NodeJS.Timeout[] = [];

  constructor(
    private readonly store: ReadStore,
    private readonly keeper: LeaseKeeper,
    private readonly clock: Clock,
  ) {}

  add<Doc extends Timed<Field>, Field extends string>(sweeping: Sweeping<Doc, Field>, everyMs: number): void {
    const { name } = sweeping;
    const sweep = new DueSweep(this.store, this.clock, sweeping);
    const sole = new SingleFlightSweep(
      () => sweep.run(() => this.isOurs),
      (reason) => this.log.warn(`${name} failed before its end and is run again in ${everyMs / 1_000} s: ${reason}`),
    );
    this.timers.set(name, { everyMs, sweep: sweep as unknown as DueSweep<never, never>, sole });
  }

  async sweep(name: string): Promise<void> {
    const timer = this.timers.get(name);
    if (timer === undefined) throw new Error(`There is no sweep named ${name}.`);
    await timer.sweep.run();
  }

  onApplicationBootstrap(): void {
    this.intervals = [...this.timers.values()].map(({ everyMs, sole }) =>
      setInterval(() => void sole.begin(this.isOurs), everyMs).unref(),
    );
  }

  async beforeApplicationShutdown(): Promise<void> {
    for (const interval of this.intervals) clearInterval(interval);
    await Promise.all([...this.timers.values()].map(({ sole }) => sole.ended()));
  }

  private get isOurs(): boolean {
    return this.keeper.holds(schedulerDuty.name);
  }
}
