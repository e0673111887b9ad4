import { AsyncLocalStorage } from 'node:async_hooks';
import type { RecordedEvent } from '../../kernel/event/event.js';

/** Code that catches this error cannot continue the dry run, which has ended. */
export class DryRunEnded extends Error {}

/**
 * Events of a dry run have positions from here on. No log reaches this position, so every recorded position is lower.
 */
export const firstDryRunPosition = 2 ** 52;

/** Everything that the command writes is stored in this object and discarded with it. */
export class DryRun {
  private readonly recorded: RecordedEvent[] = [];
  private readonly values = new Map<object, unknown>();
  private readonly over = Promise.withResolvers<void>();
  private shown: readonly RecordedEvent[] | undefined;
  private outside: string | undefined;

  /** Returns undefined if the command reached an effect that cannot be simulated. Rejects as the command does. */
  async run<Answer>(work: () => Promise<Answer>): Promise<Answer | undefined> {
    const working = this.inside(work);
    try {
      const answer = await Promise.race([working, this.over.promise.then(() => undefined)]);
      return this.endsAt === undefined ? answer : undefined;
    } catch (error) {
      if (this.endsAt === undefined) throw error;
      return undefined;
    } finally {
      this.shown ??= [...this.recorded];
    }
  }

  inside<Answer>(work: () => Answer): Answer {
    return running.run(this, work);
  }

  /** Leaves out events that the command wrote after the dry run had ended. */
  get events(): readonly RecordedEvent[] {
    return this.shown ?? this.recorded;
  }

  /** Includes events that the command wrote after the dry run had ended. */
  get written(): readonly RecordedEvent[] {
    return this.recorded;
  }

  get endsAt(): string | undefined {
    return this.outside;
  }

  record(event: RecordedEvent): void {
    this.recorded.push(event);
  }

  stopBefore(outside: string): never {
    if (this.shown === undefined) {
      this.outside = outside;
      this.shown = [...this.recorded];
      this.over.resolve();
    }
    throw new DryRunEnded(`A dry run ends before the service ${outside}.`);
  }

  /** The state lasts as long as this dry run. `make` creates it at the first call. */
  stateOf<Value>(owner: object, make: () => Value): Value {
    if (!this.values.has(owner)) this.values.set(owner, make());
    return this.values.get(owner) as Value;
  }
}

const running = new AsyncLocalStorage<DryRun | undefined>();

export const currentDryRun = (): DryRun | undefined => running.getStore();

/**
 * Runs `work` outside of any dry run. Needed for work on behalf of several calls, such as that of a queue, if a dry run
 * happens to start it.
 */
export const outsideDryRuns = <Answer>(work: () => Answer): Answer =>
  running.getStore() === undefined ? work() : running.run(undefined, work);

/**
 * A value that a process holds between calls, such as a cache. Each dry run has its own, which is empty at first, so
 * dry runs and real calls neither see nor wait for each other.
 */
export class PerDryRun<Value> {
  private readonly real: Value;

  constructor(private readonly make: () => Value) {
    this.real = make();
  }

  get now(): Value {
    return running.getStore()?.stateOf(this, this.make) ?? this.real;
  }
}
