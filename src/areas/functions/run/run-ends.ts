import { Injectable, Logger } from '@nestjs/common';
import { StoreRetry } from '../../../engine/cluster/store-retry.js';
import { PerDryRun } from '../../../engine/dry-run/dry-run.js';
import { reasonOf } from '../../../kernel/reason.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { Clock } from '../../../ports/clock.port.js';
import type { AppendOptions } from '../../../ports/event-store.port.js';
import { refuse } from '../functions.refusals.js';
import type { RunEvent } from './run.record.js';
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

  /** @throws Refusal store-unavailable */
  async endUnrun(request: RunRequest, started: RunStarted, error: string): Promise<void> {
    const { runId, attempt, accepted } = started.data;
    await this.journal.write(request, [started]);
    await this.journal.write(request, runEndEvents(ended(runId, attempt, error, null), { ...request, accepted }));
    this.retention.hasEnded(request);
  }

  /**
   * If the store is unavailable, throws at once and retries in the background until the end is recorded. A run that was
   * not queued (`accepted`) then gets no further attempt, because its caller gets this error.
   * @throws Refusal run-not-recorded
   */
  async recordEnd(request: RunRequest, accepted: boolean, event: RunEnd, options: AppendOptions): Promise<void> {
    try {
      await this.journal.write(request, runEndEvents(event, { ...request, accepted }), options);
      this.retention.hasEnded(request);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const last = accepted ? event : { ...event, data: { ...event.data, retryAt: null } };
      this.retryInBackground(request, runEndEvents(last, { ...request, accepted }));
      refuse('run-not-recorded', { runId: request.runId }, { retryAfterSeconds: 5, details: { runId: request.runId } });
    }
  }

  /** Waits only if this process is still trying to record the end of the run. */
  async recorded(runId: string): Promise<void> {
    await this.unrecorded.now.get(runId);
  }

  private retryInBackground(request: RunRequest, events: readonly RunEvent[]): void {
    const recorded = this.write(request, events).finally(() => {
      if (this.unrecorded.now.get(request.runId) === recorded) this.unrecorded.now.delete(request.runId);
    });
    this.unrecorded.now.set(request.runId, recorded);
  }

  private async write(request: RunRequest, events: readonly RunEvent[]): Promise<void> {
    for (;;) {
      try {
        await this.storeRetry.untilAvailable(() => this.journal.write(request, events));
        return;
      } catch (error) {
        this.log.warn(`The end of run ${request.runId} could not be recorded; retrying: ${reasonOf(error)}`);
        await new Promise<void>((resolve) => this.clock.after(pauseMs, resolve));
      }
    }
  }
}
