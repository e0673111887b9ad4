import { Injectable, Logger } from '@nestjs/common';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import { Clock } from '../../../ports/clock.port.js';
import type { AppendOptions } from '../../../ports/event-store.port.js';
import type { RunRequest } from './function-runs.api.js';
import type { RunEvent } from './run.record.js';
import { RunJournal } from './run-journal.js';
import { ended, endOf, type RunEnd } from './run-record.js';
import type { RunStarted } from './run-starts.js';

/** Records how attempts end. */
@Injectable()
export class RunEnds {
  private readonly log = new Logger('Runs');

  constructor(
    private readonly journal: RunJournal,
    private readonly clock: Clock,
  ) {}

  /** Records start and end of an attempt whose code did not run. @throws Refusal store-unavailable */
  async endUnrun(request: RunRequest, started: RunStarted, error: string): Promise<void> {
    const { runId, attempt, accepted } = started.data;
    await this.journal.write(request, [started]);
    await this.journal.write(request, endOf(ended(runId, attempt, error, null), { ...request, accepted }));
  }

  /**
   * Keeps trying until the end is recorded, however long that takes; the caller is told of the delay at once. If the
   * run was not accepted, nobody is left waiting to retry it, so this attempt is its last.
   */
  async end(request: RunRequest, accepted: boolean, event: RunEnd, options: AppendOptions): Promise<void> {
    try {
      await this.journal.write(request, endOf(event, { ...request, accepted }), options);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const last = accepted ? event : { ...event, data: { ...event.data, retryAt: null } };
      this.keepTrying(request, endOf(last, { ...request, accepted }), 1_000);
      refuse('run-not-recorded', { runId: request.runId }, { retryAfterSeconds: 5, details: { runId: request.runId } });
    }
  }

  private keepTrying(request: RunRequest, events: readonly RunEvent[], delayMs: number): void {
    this.log.warn(`The end of run ${request.runId} is not recorded yet; trying again in ${delayMs} ms.`);
    this.clock.after(delayMs, () => {
      this.journal.write(request, events).catch(() => this.keepTrying(request, events, Math.min(delayMs * 2, 30_000)));
    });
  }
}
