import { AsyncLocalStorage } from 'node:async_hooks';
import type { RecordedEvent } from '../../kernel/event/event.js';

/** Thrown in the place of a call that would leave the service. Whoever catches it changes nothing: the trial is over. */
export class TrialEnded extends Error {}

/** Events of trials stand behind every recorded one. No log has so many events. */
export const firstTrialPosition = 2 ** 52;

/**
 * A command that is only tried. What it would write is kept here and goes with it. It is over when the command has ended,
 * or when it comes to something that can only be done for real.
 */
export class Trial {
  private readonly recorded: RecordedEvent[] = [];
  private readonly kept = new Map<object, unknown>();
  private readonly over = Promise.withResolvers<void>();
  private shown: readonly RecordedEvent[] | undefined;
  private outside: string | undefined;

  /** What the command comes to; undefined when it came to something that cannot be tried. Rejects as the command does. */
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

  /** Everything that is written in the work stays in the trial. */
  inside<Answer>(work: () => Answer): Answer {
    return running.run(this, work);
  }

  /** In order. What is written after the end is kept as well, so that the work comes to its own end, and is not shown. */
  get events(): readonly RecordedEvent[] {
    return this.shown ?? this.recorded;
  }

  /** All that were written, shown or not. */
  get written(): readonly RecordedEvent[] {
    return this.recorded;
  }

  /** What it came to that cannot be tried, in words. */
  get endsAt(): string | undefined {
    return this.outside;
  }

  record(event: RecordedEvent): void {
    this.recorded.push(event);
  }

  /** Nothing is called. */
  end(outside: string): never {
    if (this.shown === undefined) {
      this.outside = outside;
      this.shown = [...this.recorded];
      this.over.resolve();
    }
    throw new TrialEnded(`A trial does not go on where the service ${outside}.`);
  }

  /** What somebody keeps for the length of this trial. */
  keep<Kept>(owner: object, make: () => Kept): Kept {
    if (!this.kept.has(owner)) this.kept.set(owner, make());
    return this.kept.get(owner) as Kept;
  }
}

const running = new AsyncLocalStorage<Trial | undefined>();

export const currentTrial = (): Trial | undefined => running.getStore();

/** For work that calls share, and that one of them sets going. */
export const outsideTrials = <Answer>(work: () => Answer): Answer =>
  running.getStore() === undefined ? work() : running.run(undefined, work);

/**
 * What a process remembers between calls: caches, counts, queues, promises that several calls wait for. A trial has its
 * own, which begins empty, so that no real call sees or waits for anything of a trial, nor the other way round.
 */
export class PerTrial<Kept> {
  private readonly real: Kept;

  constructor(private readonly make: () => Kept) {
    this.real = make();
  }

  get now(): Kept {
    return running.getStore()?.keep(this, this.make) ?? this.real;
  }
}
