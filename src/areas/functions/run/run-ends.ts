import { Injectable, Logger } from '@nestjs/common';
import { StoreRetry } from '../../../engine/cluster/store-retry.js';
import { unavailableStores } from '../../../engine/cluster/unavailable-stores.js';
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
const notTriedAgain = 'The event store was unavailable when the attempt before ended, so there was no further attempt.';

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
      this.retryInBackground(request, accepted, event);
      refuse('run-not-recorded', { runId: request.runId }, { retryAfterSeconds: 5, details: { runId: request.runId } });
    }
  }

  /** Waits only if this process is still trying to record the end of the run. */
  async recorded(runId: string): Promise<void> {
    await this.unrecorded.now.get(runId);
  }

  /** If the store refuses the end, e.g. because it is too large, the end is recorded without its logs. */
  private async write(request: RunRequest, accepted: boolean, end: RunEnd, options: AppendOptions = {}): Promise<void> {
    try {
      await this.journal.write(request, runEndEvents(end, { ...request, accepted }), options);
    } catch (error) {
      if (unavailableStores(error).length > 0) throw error;
      this.warn(request, error);
      await this.writeApart(request, accepted, end);
    }
  }

  private async writeLast(request: RunRequest, accepted: boolean, end: RunEnd): Promise<void> {
    if (accepted || end.data.retryAt === null) return this.write(request, accepted, end);
    const last: RunEnd = { ...end, data: { ...end.data, retryAt: null } };
    await this.write(request, accepted, last);
    // The first write, whose reply was lost, may have recorded that another attempt follows. The second then had no effect.
    await this.writeApart(request, accepted, last);
  }

  /**
   * Records the end and then, one by one, the events that follow from it. For use if the store refuses to record them
   * together: the end is too large with its logs, or an end of this attempt is already recorded, because another process
   * considered this one dead or an append got no reply. The end that was recorded first counts.
   */
  private async writeApart(request: RunRequest, accepted: boolean, end: RunEnd): Promise<void> {
    const { runId, attempt, retryAt } = end.data;
    const short = this.withoutLogs(end);
    const { revision } = await this.journal.write(request, [short]);
    const recorded = await this.journal.at(request, revision);
    const first = recorded?.type === 'RunEnded' && recorded.data.runId === runId ? recorded : short;
    // The recorded end promises another attempt, but the caller of a run that is not accepted got an error instead.
    const endsHere = !accepted && retryAt === null && first.data.retryAt !== null;
    const last = endsHere ? ended(runId, attempt + 1, notTriedAgain, null) : first;
    const events = runEndEvents(last, { ...request, accepted });
    for (const event of endsHere ? events : events.slice(1)) await this.journal.write(request, [event]);
  }

  private withoutLogs(end: RunEnd): RunEnd {
    if (end.data.logs.length === 0) return end;
    const at = new Date(this.clock.now()).toISOString();
    return { ...end, data: { ...end.data, logs: [{ at, level: 'warn', text: logsDropped }] } };
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
        await this.storeRetry.untilAvailable(() => this.writeLast(request, accepted, end));
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
