import { Injectable } from '@nestjs/common';
import type { ShownWork } from '../../../engine/jobs/shown-job.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { Clock } from '../../../ports/clock.port.js';
import { OpenRuns } from './open-runs.js';
import type { Run } from './run.record.js';
import { RunAttempts } from './run-attempts.js';
import { RunEnds } from './run-ends.js';
import { RunJournal } from './run-journal.js';
import { attemptAtHand, ended, runEndEvents, runOriginOf } from './run-record.js';
import type { RunRequest } from './run-request.api.js';
import { RunStarts } from './run-starts.js';
import { RunInputs } from './storage/run-inputs.api.js';

@Injectable()
export class RunWork implements ShownWork<Run> {
  constructor(
    private readonly attempts: RunAttempts,
    private readonly starts: RunStarts,
    private readonly journal: RunJournal,
    private readonly open: OpenRuns,
    private readonly inputs: RunInputs,
    private readonly clock: Clock,
    private readonly ends: RunEnds,
  ) {}

  /**
   * Waits until the end of the run's last attempt is recorded, because the message can be redelivered before that. Also
   * resolves if this process is stopping.
   */
  ready(runId: string, stopping: AbortSignal): Promise<void> {
    return unless(stopping, this.ends.recorded(runId));
  }

  settle(): Promise<void> {
    return this.open.settle();
  }

  async attempt(run: Run): Promise<void> {
    if (run.status === 'success' || run.status === 'error') return;
    // Either the attempt's end is not recorded yet, or its process died. The error causes the message to be delivered
    // again later.
    if (run.status === 'running' && !this.starts.isUnmade(run)) {
      throw new Error(`The last attempt of run ${run.id} is not recorded yet.`);
    }
    await this.waitUntil(run.retryAt);
    const params = await this.inputs.open(run.workspaceId, run.id);
    if (params === undefined) return this.give(run, 'The input of this run is no longer stored, so it was not run.');
    await this.attemptAll(run, { ...runOriginOf(run), ...run, runId: run.id, params });
  }

  private async attemptAll(run: Run, request: RunRequest): Promise<void> {
    for (let number = attemptAtHand(run); ; number++) {
      const retryInMs = await this.once(run, request, number);
      if (retryInMs === undefined) return;
      await new Promise<void>((resolve) => this.clock.after(retryInMs, resolve));
    }
  }

  private async once(run: Run, request: RunRequest, number: number): Promise<number | undefined> {
    try {
      return (await this.attempts.attempt(request, number, true)).retryInMs;
    } catch (error) {
      if (!(error instanceof Refusal) || error.kind !== 'not-found') throw error;
      await this.give({ ...run, keepInput: false }, 'The function was deleted before this run began.');
      return undefined;
    }
  }

  private async give(run: Run, error: string): Promise<void> {
    await this.journal.write(runOriginOf(run), runEndEvents(ended(run.id, attemptAtHand(run), error, null), run));
  }

  private async waitUntil(at: string | null): Promise<void> {
    const ms = at === null ? 0 : Date.parse(at) - this.clock.now();
    if (ms > 0) await new Promise<void>((resolve) => this.clock.after(ms, resolve));
  }
}

/** Also resolves if this process is stopping, because another process then receives the message. */
async function unless(stopping: AbortSignal, work: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = () => resolve();
  stopping.addEventListener('abort', stop);
  if (stopping.aborted) stop();
  try {
    await Promise.race([work, promise]);
  } finally {
    // The signal outlives the run, so remaining listeners would accumulate and slow down later runs.
    stopping.removeEventListener('abort', stop);
  }
}
