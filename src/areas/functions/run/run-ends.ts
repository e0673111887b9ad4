import { Injectable, Logger } from '@nestjs/common';
import { StoreRetry } from '../../../engine/cluster/store-retry.js';
import { PerDryRun } from '../../../engine/dry-run/dry-run.js';
import { reasonOf } from '../../../kernel/reason.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { Clock } from '../../../ports/clock.port.js';
import type { AppendOptions } from '../../../ports/event-store.port.js';
import { refuse } from '../functions.refusals.js';
import { RunJournal } from './run-journal.js';
import { ended, type RunEnd, runEndEvents } from './run-record.js';
import type { RunRequest } from './run-request.api.js';
import type { RunStarted } from './run-starts.js';
import { SiteRunRetention } from './storage/site-run-retention.api.js';

/**
 * Pause before the service tries again to record the end of a run. If the store is unavailable, StoreRetry determines
 * the pause instead.
 */
const pauseMs = 30_000;

const logsDropped = 'The log of this run could not be stored.';

@Injectable()
export class RunEnds {
  private readonly log = new Logger('Runs');
  private readonly unrecorded = new PerDryRun(() => new Map<string, Promise<void>>());

  constructor(
    private readonly journal: RunJournal,
    private readonly clock: Clock,
    private readonly storeRetry: StoreRetry,
    private readonly retention: SiteRunRetention,
  ) {}

  /** @throws Refusal store-unavailable, run-not-recorded */
  async endUnrun(request: RunRequest, started: RunStarted, error: string): Promise<void> {
    const { runId, attempt, accepted } = started.data;
    await this.journal.write(request, [started]);
    await this.recordEnd(request, accepted, ended(runId, attempt, error, null));
  }

  /**
   * If the end cannot be recorded now, throws at once and retries in the background until it is recorded. A run that is
   * not `accepted` (queued) then gets no further attempt, because its caller gets this error.
   * @throws Refusal run-not-recorded
   */
  async recordEnd(request: RunRequest, accepted: boolean, event: RunEnd, options: AppendOptions = {}): Promise<void> {
    try {
      await this.write(request, accepted, event, options);
      this.retention.hasEnded(request);
    } catch (error) {
      if (!(error instanceof Refusal)) this.warn(request, error);
      const last = accepted ? event : { ...event, data: { ...event.data, retryAt: null } };
      this.retryInBackground(request, accepted, last);
      refuse('run-not-recorded', { runId: request.runId }, { retryAfterSeconds: 5, details: { runId: request.runId } });
    }
  }

  /** Waits only if this process is still trying to record the end of the run. */
  async recorded(runId: string): Promise<void> {
    await this.unrecorded.now.get(runId);
  }

  /** If the store refuses the end, e.g. because it is too large, the end is recorded without its logs. */
  private async write(request: RunRequest, accepted: boolean, end: RunEnd, options: AppendOptions = {}): Promise<void> {
    const write = (one: RunEnd) => this.journal.write(request, runEndEvents(one, { ...request, accepted }), options);
    try {
      await write(end);
    } catch (error) {
      if (error instanceof Refusal || end.data.logs.length === 0) throw error;
      this.warn(request, error);
      const at = new Date(this.clock.now()).toISOString();
      await write({ ...end, data: { ...end.data, logs: [{ at, level: 'warn', text: logsDropped }] } });
    }
  }

  private retryInBackground(request: RunRequest, accepted: boolean, end: RunEnd): void {
    const recorded = this.writeUntilRecorded(request, accepted, end).finally(() => {
      if (this.unrecorded.now.get(request.runId) === recorded) this.unrecorded.now.delete(request.runId);
    });
    this.unrecorded.now.set(request.runId, recorded);
  }

  private async writeUntilRecorded(request: RunRequest, accepted: boolean, end: RunEnd): Promise<void> {
    for (;;) {
      try {
        await this.storeRetry.untilAvailable(() => this.write(request, accepted, end));
        return;
      } catch (error) {
        this.warn(request, error);
        await new Promise<void>((resolve) => this.clock.after(pauseMs, resolve));
      }
    }
  }

  private warn({ runId }: RunRequest, error: unknown): void {
    this.log.warn(`The end of run ${runId} could not be recorded; retrying: ${reasonOf(error)}`);
  }
}
