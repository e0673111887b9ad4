import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { Environment } from '../../config/environment.js';
import { Clock } from '../../ports/clock.port.js';
import { firstDryRunPosition, outsideDryRuns } from '../dry-run/dry-run.js';
import { ReadModels } from './read-models.js';

interface Waiting {
  readonly position: number;
  readonly settle: () => void;
}

interface Mark {
  taken: number | undefined;
  recorded: number;
  /** True if a reader's wait for the read model has timed out, and the read model has not caught up since. */
  late: boolean;
  waiting: Waiting[];
}

/** After this wait, the response is sent anyway and marked as possibly outdated. */
const patienceMs = 5_000;
const shortPatienceMs = 250;

/**
 * In a single process, a reader waits until the read model includes everything recorded so far; writers do not wait, so
 * projections can process events in batches. If several processes share the stores, a reader in another process cannot
 * know what was recorded here, so the writer waits before it responds.
 */
@Injectable()
export class ReadYourWrites {
  private readonly marks = new Map<string, Mark>();
  private readonly recording = new AsyncLocalStorage<Map<string, number>>();
  private listener: (projection: string) => void = () => {};

  constructor(
    private readonly clock: Clock,
    private readonly models: ReadModels,
    private readonly environment: Environment,
  ) {}

  /** `listener` is called with the name of a read model whenever a reader begins to wait for it. */
  onRequest(listener: (projection: string) => void): void {
    this.listener = listener;
  }

  /** Must be called after events were recorded. Later reads wait until the read models include the events. */
  appended(position: number, events: readonly { readonly stream: string; readonly type: string }[]): void {
    // Events of a dry run never reach a read model.
    if (position >= firstDryRunPosition) return;
    const recording = this.recording.getStore();
    for (const event of events) {
      for (const projection of this.models.readersOf(event)) {
        const mark = this.markOf(projection);
        if (position > mark.recorded) mark.recorded = position;
        recording?.set(projection, Math.max(position, recording.get(projection) ?? -1));
      }
    }
  }

  /**
   * Makes later reads in this process wait until these read models include the position, no matter which process
   * recorded it. Default: all read models.
   */
  observed(position: number, projections = this.models.all.map(({ name }) => name)): void {
    for (const name of projections) {
      const mark = this.markOf(name);
      if (position > mark.recorded) mark.recorded = position;
    }
  }

  /**
   * If several processes share the stores, waits, for a limited time, until the read models include the command's
   * events. `shown` is false if that time was not enough or, in a single process, if a read model is behind.
   */
  async waitForOwnWrites<Answer>(
    work: () => Promise<Answer>,
  ): Promise<{ readonly answer: Answer; readonly shown: boolean }> {
    if (!this.environment.shared) return { answer: await work(), shown: !this.behind };
    const recorded = new Map<string, number>();
    const answer = await this.recording.run(recorded, work);
    const waits = [...recorded].map(([projection, position]) => this.reaches(projection, position));
    const shown = (await Promise.all(waits)).every((reached) => reached);
    return { answer, shown };
  }

  /**
   * Returns whether the read model includes everything that was recorded or observed. If its position is not known yet,
   * returns true in a single process, and with several processes only if nothing was recorded or observed.
   */
  isCurrent(projection: string): boolean {
    const { taken, recorded } = this.markOf(projection);
    if (taken === undefined && !this.environment.shared) return true;
    return (taken ?? -1) >= recorded;
  }

  /** Waits, for a limited time, until the read model includes everything that was recorded or observed. */
  async current(projection: string): Promise<void> {
    await this.reaches(projection, this.markOf(projection).recorded);
  }

  /** Must be called when a read model is complete up to this log position. */
  moved(projection: string, position: number): void {
    const mark = this.markOf(projection);
    mark.taken = position;
    if (position >= mark.recorded) mark.late = false;
    if (mark.waiting.length === 0) return;
    const { waiting } = mark;
    mark.waiting = waiting.filter((waiter) => waiter.position > position);
    for (const waiter of waiting) if (waiter.position <= position) waiter.settle();
  }

  awaited(projection?: string): boolean {
    if (projection !== undefined) return this.markOf(projection).waiting.length > 0;
    for (const { waiting } of this.marks.values()) if (waiting.length > 0) return true;
    return false;
  }

  /** True if some read model is `late`. */
  get behind(): boolean {
    for (const { late } of this.marks.values()) if (late) return true;
    return false;
  }

  recorded(projection: string): number {
    return this.markOf(projection).recorded;
  }

  taken(projection: string): number {
    return this.markOf(projection).taken ?? -1;
  }

  /** Waits for a limited time. Returns whether the read model includes the position. */
  async reaches(projection: string, position: number): Promise<boolean> {
    const mark = this.markOf(projection);
    if ((mark.taken ?? -1) >= position) return true;
    return new Promise((resolve) => {
      const giveUp = this.clock.after(mark.late ? shortPatienceMs : patienceMs, () => {
        mark.late = true;
        mark.waiting = mark.waiting.filter((waiter) => waiter.settle !== settle);
        resolve(false);
      });
      const settle = () => {
        giveUp();
        resolve(true);
      };
      mark.waiting.push({ position, settle });
      // The listener polls for all readers, so it must not run inside the dry run of one of them.
      outsideDryRuns(() => this.listener(projection));
    });
  }

  private markOf(projection: string): Mark {
    const known = this.marks.get(projection);
    if (known !== undefined) return known;
    const made: Mark = { taken: undefined, recorded: -1, late: false, waiting: [] };
    this.marks.set(projection, made);
    return made;
  }
}
