import { Injectable, Logger } from '@nestjs/common';
import { ProcessName } from '../../../engine/cluster/process-name.js';
import { PerDryRun } from '../../../engine/dry-run/dry-run.js';
import { reasonOf } from '../../../kernel/reason.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { Clock } from '../../../ports/clock.port.js';
import type { AppendOptions } from '../../../ports/event-store.port.js';
import { refuse } from '../functions.refusals.js';
import type { Run, RunEvent } from './run.record.js';
import { RunJournal, type RunOrigin } from './run-journal.js';
import { ended, runEndEvents } from './run-record.js';
import type { RunNow } from './run-request.api.js';

export type RunStarted = Extract<RunEvent, { type: 'RunStarted' }>;

interface ClaimOptions extends AppendOptions, Pick<RunNow, 'repeatable'> {}

/**
 * Delays before the first check and each later check whether the start of a run was recorded. The first delay must be
 * longer than an append with an unknown outcome can take.
 */
const firstLookMs = 15_000;
const nextLookMs = 30_000;
/** Maximum number of remembered attempts, which is more than can start during one attempt. */
const mostRemembered = 10_000;

const notMade = 'The event store was unavailable when this run should have begun, so it was not started.';

/**
 * Ensures that an attempt runs only once. A message can be redelivered before the read models show the outcome, and a
 * stalled process can resume after another one has taken over its work.
 */
@Injectable()
export class RunStarts {
  private readonly log = new Logger('Runs');
  private readonly made = new PerDryRun(() => new Map<string, number>());

  constructor(
    private readonly journal: RunJournal,
    private readonly clock: Clock,
    private readonly process: ProcessName,
  ) {}

  /**
   * Resolves once the attempt is recorded for this process.
   * @throws Refusal store-unavailable; run-not-recorded if this process has already made the attempt;
   * idempotency-key-in-progress if another process has recorded the attempt for an earlier call with the same key
   * @throws Error if another process has recorded the attempt of an accepted run
   */
  async claim(origin: RunOrigin, started: RunStarted, options: ClaimOptions = {}): Promise<void> {
    const { runId, attempt, accepted } = started.data;
    if (this.hasMade(runId, attempt)) {
      refuse('run-not-recorded', { runId }, { retryAfterSeconds: 5, details: { runId } });
    }
    if (!(await this.isRecordedForUs(origin, started, options))) {
      if (!accepted) refuse('idempotency-key-in-progress', undefined, { retryAfterSeconds: 5 });
      throw new Error(`Attempt ${attempt} of run ${runId} was started by another process.`);
    }
    this.remember(runId, attempt);
  }

  /**
   * True if the journal assigns the attempt to this process, but the process received no reply to the append and did
   * not run it.
   */
  isUnmade({ id, process, attempts }: Run): boolean {
    return process === this.process.value && !this.hasMade(id, attempts.length);
  }

  /**
   * Records the attempt. Returns false if another process has already recorded it.
   * @throws Refusal store-unavailable
   */
  private async isRecordedForUs(
    origin: RunOrigin,
    started: RunStarted,
    { repeatable = false, ...options }: ClaimOptions,
  ): Promise<boolean> {
    const { attempt, accepted } = started.data;
    try {
      const { revision } = await this.journal.write(origin, [started], options);
      // Several processes can try to start a queued (accepted) run, because its message is delivered again if a process
      // dies. They can also try to start the first attempt for a call that was repeated with its idempotency key. Any
      // other attempt is started only by the process in which its caller waits.
      if (!accepted && !(repeatable && attempt === 1)) return true;
      const recorded = await this.journal.at(origin, revision);
      return recorded?.type !== 'RunStarted' || recorded.data.process === this.process.value;
    } catch (error) {
      // A run that is not `accepted` is not retried, because its caller waits and gets this error. If one of its attempts
      // was recorded, despite the error or earlier, the run must be ended.
      if (!accepted && (attempt > 1 || error instanceof Refusal)) this.endIfRecorded(origin, started, firstLookMs);
      throw error;
    }
  }

  private hasMade(runId: string, attempt: number): boolean {
    return (this.made.now.get(runId) ?? 0) >= attempt;
  }

  private remember(runId: string, attempt: number): void {
    this.made.now.delete(runId);
    this.made.now.set(runId, attempt);
    for (const oldest of this.made.now.keys()) {
      if (this.made.now.size <= mostRemembered) return;
      this.made.now.delete(oldest);
    }
  }

  private endIfRecorded(origin: RunOrigin, started: RunStarted, pauseMs: number): void {
    this.clock.after(pauseMs, () => {
      this.endUnmade(origin, started).catch((error: unknown) => {
        this.log.debug(`It is still unknown whether run ${origin.runId} began; checking again: ${reasonOf(error)}`);
        this.endIfRecorded(origin, started, nextLookMs);
      });
    });
  }

  private async endUnmade(origin: RunOrigin, started: RunStarted): Promise<void> {
    const { runId, attempt } = started.data;
    const recorded = attempt > 1 ? started : await this.journal.find(origin, 'RunStarted', attempt);
    const isOurs = recorded?.type === 'RunStarted' && recorded.data.process === this.process.value;
    if (!isOurs || this.hasMade(runId, attempt)) return;
    await this.journal.write(origin, runEndEvents(ended(runId, attempt, notMade, null), started.data));
  }
}
