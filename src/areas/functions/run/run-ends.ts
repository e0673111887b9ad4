import { Injectable, Logger } from '@nestjs/common';
import { Outages } from '../../../engine/cluster/outages.js';
import { PerTrial } from '../../../engine/dry-run/trial.js';
import { reasonOf } from '../../../kernel/reason.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { Clock } from '../../../ports/clock.port.js';
import type { AppendOptions } from '../../../ports/event-store.port.js';
import { refuse } from '../functions.refusals.js';
import type { RunEvent } from './run.record.js';
import { RunJournal } from './run-journal.js';
import { ended, endOf, type RunEnd } from './run-record.js';
import type { RunRequest } from './run-request.api.js';
import type { RunStarted } from './run-starts.js';
import { SiteRunRetention } from './storage/site-run-retention.api.js';

/** Between two tries to record an end, when what prevents it is not a store that is away. */
const pauseMs = 30_000;

/** Records how attempts end. */
@Injectable()
export class RunEnds {
  private readonly log = new Logger('Runs');
  /** Ends that are still to be recorded, by run. */
  private readonly open = new PerTrial(() => new Map<string, Promise<void>>());

  constructor(
    private readonly journal: RunJournal,
    private readonly clock: Clock,
    private readonly outages: Outages,
    private readonly retention: SiteRunRetention,
  ) {}

  /** Records start and end of an attempt whose code did not run. @throws Refusal store-unavailable */
  async endUnrun(request: RunRequest, started: RunStarted, error: string): Promise<void> {
    const { runId, attempt, accepted } = started.data;
    await this.journal.write(request, [started]);
    await this.journal.write(request, endOf(ended(runId, attempt, error, null), { ...request, accepted }));
    this.retention.hasEnded(request);
  }

  /**
   * Keeps trying until the end is recorded, however long that takes; the caller is told of the delay at once. If the
   * run was not accepted, nobody is left waiting to retry it, so this attempt is its last.
   */
  async end(request: RunRequest, accepted: boolean, event: RunEnd, options: AppendOptions): Promise<void> {
    try {
      await this.journal.write(request, endOf(event, { ...request, accepted }), options);
      this.retention.hasEnded(request);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const last = accepted ? event : { ...event, data: { ...event.data, retryAt: null } };
      this.keepTrying(request, endOf(last, { ...request, accepted }));
      refuse('run-not-recorded', { runId: request.runId }, { retryAfterSeconds: 5, details: { runId: request.runId } });
    }
  }

  /** Resolves when no end of this run is still to be recorded by this process. */
  async recorded(runId: string): Promise<void> {
    await this.open.now.get(runId);
  }

  private keepTrying(request: RunRequest, events: readonly RunEvent[]): void {
    const recorded = this.write(request, events).finally(() => {
      if (this.open.now.get(request.runId) === recorded) this.open.now.delete(request.runId);
    });
    this.open.now.set(request.runId, recorded);
  }

  private async write(request: RunRequest, events: readonly RunEvent[]): Promise<void> {
    for (;;) {
      try {
        await this.outages.lasting(() => this.journal.write(request, events));
        return;
      } catch (error) {
        this.log.warn(`The end of run ${request.runId} is not recorded yet and is tried again: ${reasonOf(error)}`);
        await new Promise<void>((resolve) => this.clock.after(pauseMs, resolve));
      }
    }
  }
}
