import { Injectable, Logger } from '@nestjs/common';
import type { Run } from '../../../../projections/functions/run.projection.js';
import { ProcessName } from '../../../engine/process-name.js';
import { reasonOf } from '../../../kernel/reason.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import { Clock } from '../../../ports/clock.port.js';
import type { AppendOptions } from '../../../ports/event-store.port.js';
import type { RunEvent } from './run.record.js';
import { RunJournal, type RunOrigin } from './run-journal.js';
import { ended } from './run-record.js';

export type RunStarted = Extract<RunEvent, { type: 'RunStarted' }>;

/** Longer than an append may be under way of which nobody knows how it ended. */
const firstLookMs = 15_000;
const nextLookMs = 30_000;
/** More than are made while one that is made lasts. */
const remembered = 10_000;

const notMade = 'The event store was away when this run was to begin, so it was not made.';

/**
 * Lets an attempt be made once: not a second time by this process, which may be handed its message again before the
 * read models show what became of it, and not by one that was held up while another took its work.
 */
@Injectable()
export class RunStarts {
  private readonly log = new Logger('Runs');
  /** The last attempt that this process has made of a run. */
  private readonly made = new Map<string, number>();

  constructor(
    private readonly journal: RunJournal,
    private readonly clock: Clock,
    private readonly process: ProcessName,
  ) {}

  /**
   * Resolves when the attempt is recorded and is this process's to make.
   * @throws Refusal store-unavailable; run-not-recorded when it was made here, Error when it is another process's
   */
  async claim(origin: RunOrigin, started: RunStarted, options: AppendOptions = {}): Promise<void> {
    const { runId, attempt, accepted } = started.data;
    if (this.hasMade(runId, attempt)) {
      refuse('run-not-recorded', { runId }, { retryAfterSeconds: 5, details: { runId } });
    }
    try {
      const { revision } = await this.journal.write(origin, [started], options);
      // Only accepted runs are handed to more than one process.
      const recorded = accepted ? await this.journal.at(origin, revision) : started;
      if (recorded?.type === 'RunStarted' && recorded.data.process !== this.process.value) {
        throw new Error(`Attempt ${attempt} of run ${runId} was begun by another process.`);
      }
    } catch (error) {
      // Nobody comes back to a run that was waited for.
      if (!accepted && error instanceof Refusal) this.endIfRecorded(origin, started, firstLookMs);
      throw error;
    }
    this.remember(runId, attempt);
  }

  /** The attempt stands there as begun by this process, which has not made it: the answer to its start was lost. */
  isUnmade({ id, process, attempts }: Run): boolean {
    return process === this.process.value && !this.hasMade(id, attempts.length);
  }

  private hasMade(runId: string, attempt: number): boolean {
    return (this.made.get(runId) ?? 0) >= attempt;
  }

  private remember(runId: string, attempt: number): void {
    this.made.delete(runId);
    this.made.set(runId, attempt);
    for (const oldest of this.made.keys()) {
      if (this.made.size <= remembered) return;
      this.made.delete(oldest);
    }
  }

  private endIfRecorded(origin: RunOrigin, started: RunStarted, pauseMs: number): void {
    this.clock.after(pauseMs, () => {
      this.endUnmade(origin, started).catch((error: unknown) => {
        this.log.debug(`Whether run ${origin.runId} began is looked at again: ${reasonOf(error)}`);
        this.endIfRecorded(origin, started, nextLookMs);
      });
    });
  }

  private async endUnmade(origin: RunOrigin, started: RunStarted): Promise<void> {
    const { runId, attempt } = started.data;
    if (!(await this.journal.holds(origin, started)) || this.hasMade(runId, attempt)) return;
    await this.journal.write(origin, [ended(runId, attempt, notMade, null)]);
  }
}
