import { AsyncLocalStorage } from 'node:async_hooks';
import type { RecordedEvent } from '../../kernel/event/event.js';

/**
 * Thrown instead of a call that would have effects outside the service. Code that catches it cannot continue the dry
 * run, which has ended.
 */
export class DryRunEnded extends Error {}

/**
 * Position of the first event of a dry run. It is higher than any recorded position, because no log has this many
 * events.
 */
export const firstDryRunPosition = 2 ** 52;

/**
 * A dry run of a command. Everything that the command writes is stored in this object and discarded with it. The dry
 * run ends with the command, or when the command reaches an effect that cannot be simulated.
 */
export class DryRun {
  private readonly recorded: RecordedEvent[] = [];
  private readonly values = new Map<object, unknown>();
  private readonly over = Promise.withResolvers<void>();
  private shown: readonly RecordedEvent[] | undefined;
  private outside: string | undefined;

  /**
   * Returns the command's result, or undefined if the command reached an effect that cannot be simulated. Rejects as
   * the command does.
   */
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

  /** Runs `work` as part of the dry run, which captures everything it writes. */
  inside<Answer>(work: () => Answer): Answer {
    return running.run(this, work);
  }

  /**
   * The dry run's events in order. Events after its end are recorded, so that the command's code can finish, but are
   * left out here.
   */
  get events(): readonly RecordedEvent[] {
    return this.shown ?? this.recorded;
  }

  /** All events of the dry run, including those after its end. */
  get written(): readonly RecordedEvent[] {
    return this.recorded;
  }

  /** Describes the effect that could not be simulated. Undefined if the dry run has not reached such an effect. */
  get endsAt(): string | undefined {
    return this.outside;
  }

  record(event: RecordedEvent): void {
    this.recorded.push(event);
  }

  /** Ends the dry run where the command would have had this effect. @throws DryRunEnded */
  stopBefore(outside: string): never {
    if (this.shown === undefined) {
      this.outside = outside;
      this.shown = [...this.recorded];
      this.over.resolve();
    }
    throw new DryRunEnded(`A dryRun does not go on where the service ${outside}.`);
  }

  /** Returns state of `owner` that lasts as long as this dry run. `make` creates it at the first call. */
  stateOf<Value>(owner: object, make: () => Value): Value {
    if (!this.values.has(owner)) this.values.set(owner, make());
    return this.values.get(owner) as Value;
  }
}

const running = new AsyncLocalStorage<DryRun | undefined>();

export const currentDryRun = (): DryRun | undefined => running.getStore();

/** Runs work that several calls share, such as a common queue, outside of any dry run, even if a dry run started it. */
export const outsideDryRuns = <Answer>(work: () => Answer): Answer =>
  running.getStore() === undefined ? work() : running.run(undefined, work);

/**
 * State that a process holds between calls, such as caches, counts, queues and shared promises. Each dry run has its
 * own copy, which is empty at first, so dry runs and real calls neither see nor wait for each other.
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
