import { Injectable } from '@nestjs/common';
import type { Duty } from '../../../engine/cluster/lease-keeper.js';
import { Outages } from '../../../engine/cluster/outages.js';
import { settlingDuty } from '../../../engine/cluster/settling.js';
import { LogHead } from '../../../engine/messages/log-head.js';
import { LostMessages } from '../../../engine/messages/lost-messages.js';
import { Watermark } from '../../../engine/read-models/watermark.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { Clock } from '../../../ports/clock.port.js';
import { Leases } from '../../../ports/leases.port.js';
import { type Consumption, type Message, Messages } from '../../../ports/messages.port.js';
import type { RunRequest } from './function-runs.api.js';
import { OpenRuns } from './open-runs.js';
import { QueuedRuns } from './queued-runs.js';
import { type Run, runCategory } from './run.record.js';
import { RunAttempts } from './run-attempts.js';
import { RunEnds } from './run-ends.js';
import { RunInputs } from './run-inputs.api.js';
import { RunJournal } from './run-journal.js';
import { attemptAtHand, ended, endOf, originOf } from './run-record.js';
import { type RunMessage, runRequests } from './run-requests.api.js';
import { RunStarts } from './run-starts.js';

/** How long a shutdown waits for current runs. */
const graceMs = 10_000;

/** Runs accepted runs, and ends those that a dead process left open. */
@Injectable()
export class RunWork {
  private consumption: Consumption | undefined;
  private stopping = new AbortController();

  constructor(
    private readonly reads: Reads,
    private readonly attempts: RunAttempts,
    private readonly starts: RunStarts,
    private readonly journal: RunJournal,
    private readonly open: OpenRuns,
    private readonly queued: QueuedRuns,
    private readonly head: LogHead,
    private readonly messages: Messages,
    private readonly inputs: RunInputs,
    private readonly clock: Clock,
    private readonly watermark: Watermark,
    private readonly leases: Leases,
    private readonly ends: RunEnds,
    private readonly outages: Outages,
    private readonly lost: LostMessages,
  ) {}

  async start(concurrency: number): Promise<void> {
    this.stopping = new AbortController();
    const { signal } = this.stopping;
    await this.lost.publishAgain('runs', () => this.queued.publishAll(), signal);
    this.consumption = await this.messages.consume({
      topic: runRequests,
      concurrency,
      handle: (message) => this.outages.lasting(() => this.handle(message, signal), signal),
      queued: (key, known, limit) => this.outages.lasting(() => this.queued.next(key, known, limit), signal),
    });
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.consumption?.stop(graceMs);
    this.consumption = undefined;
  }

  /** One process looks after the open runs of all processes. */
  settling(): Duty {
    const { clock, leases } = this;
    const [look, publishAgain] = [() => this.open.settle(), () => this.queued.settle()];
    return settlingDuty({ name: 'open-runs', what: 'Open runs', clock, leases, look, publishAgain });
  }

  private async handle({ value }: Message, stopping: AbortSignal): Promise<void> {
    const { workspaceId, functionId, runId, position } = value as RunMessage;
    if (!(await this.head.holds(runRequests, position, 'runs'))) return;
    await unless(stopping, this.ends.recorded(runId));
    const stream = streamOf(runCategory, workspaceId, functionId);
    this.watermark.appended(position, [{ stream, type: 'RunAccepted' }]);
    const run = await this.reads.get<Run>(workspaceId, 'runs', runId);
    if (run === undefined && !this.watermark.isCurrent('runs')) {
      throw new Error(`The read models do not show run ${runId} yet.`);
    }
    if (run === undefined || run.status === 'success' || run.status === 'error') return;
    // A redelivered message means that its attempt is over, but the end could not be recorded yet, or that it belonged
    // to a process that has died.
    if (run.status === 'running' && !this.starts.isUnmade(run)) {
      throw new Error(`The last attempt of run ${runId} is not recorded yet.`);
    }
    await this.waitUntil(run.retryAt);
    const params = await this.inputs.open(workspaceId, runId);
    if (params === undefined) return this.give(run, 'The input of this run is no longer kept, so it was not run.');
    await this.attempt(run, { ...originOf(run), ...run, runId: run.id, params });
  }

  private async attempt(run: Run, request: RunRequest): Promise<void> {
    for (let number = attemptAtHand(run); ; number++) {
      const retryInMs = await this.once(run, request, number);
      if (retryInMs === undefined) return;
      await new Promise<void>((resolve) => this.clock.after(retryInMs, resolve));
    }
  }

  /**
   * If the function has been deleted meanwhile, its accepted runs end. If a store is unavailable, the message is
   * redelivered.
   */
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
    await this.journal.write(originOf(run), endOf(ended(run.id, attemptAtHand(run), error, null), run));
  }

  private async waitUntil(at: string | null): Promise<void> {
    const ms = at === null ? 0 : Date.parse(at) - this.clock.now();
    if (ms > 0) await new Promise<void>((resolve) => this.clock.after(ms, resolve));
  }
}

/** Waits no longer when this process stops; another one gets the message then. */
function unless(stopping: AbortSignal, work: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  stopping.addEventListener('abort', () => resolve(), { once: true });
  if (stopping.aborted) resolve();
  return Promise.race([work, promise]);
}
