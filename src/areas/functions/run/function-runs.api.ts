import { Injectable } from '@nestjs/common';
import { RecordingQuota } from '../../../engine/quotas/recording-quota.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { siteVisited } from '../../../kernel/callers/starter.js';
import type { Json } from '../../../kernel/json/json.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { Clock } from '../../../ports/clock.port.js';
import type { FunctionDocument } from '../function/function.record.js';
import { functionsOf } from '../function/function-kinds.api.js';
import type { Run } from './run.record.js';
import { RunAttempts } from './run-attempts.js';
import { RunContext } from './run-context.js';
import { RunEnds } from './run-ends.js';
import { RunJournal } from './run-journal.js';
import { depthOf, particularsOf, runFacts } from './run-record.js';
import type { RunNow, RunReport, RunRequest } from './run-request.api.js';
import { RunInputs } from './storage/run-inputs.api.js';
import { RunResults } from './storage/run-results.js';

export interface KnownRun {
  /** True if the run was queued for later execution, false if its caller waited for the result. */
  readonly accepted: boolean;
  readonly ended: boolean;
  /** Plain text without line breaks. */
  readonly error: string | null;
}

@Injectable()
export class FunctionRuns {
  constructor(
    private readonly attempts: RunAttempts,
    private readonly context: RunContext,
    private readonly inputs: RunInputs,
    private readonly journal: RunJournal,
    private readonly results: RunResults,
    private readonly ends: RunEnds,
    private readonly reads: Reads,
    private readonly clock: Clock,
    private readonly quota: RecordingQuota,
  ) {}

  /**
   * Runs the function now and waits for its end, including retries. An inactive function causes a failed run. If the
   * calling run `calledBy` ends, the code of this run is stopped. Nothing is recorded if a quota is exceeded, or if
   * params are refused and no trigger started the run.
   * @param found the function as the caller just read it, for the first attempt
   * @throws Refusal if the run could not be recorded; runs-quota, visitors-quota, params-invalid, params-check-given-up;
   * idempotency-key-in-progress if another process began the run
   */
  async run(request: RunRequest, { calledBy, found, stop, repeatable }: RunNow = {}): Promise<RunReport> {
    await this.mustHaveRoom(request);
    for (let attempt = 1; ; attempt++) {
      const now = { calledBy, stop, repeatable, found: attempt === 1 ? found : undefined };
      const { report, retryInMs } = await this.attempts.attempt(request, attempt, false, now);
      if (retryInMs === undefined) return report;
      await new Promise<void>((resolve) => this.clock.after(retryInMs, resolve));
    }
  }

  /**
   * Resolves when the run is recorded durably. The run is then executed soon, and at least once. Accepting a run again
   * has no effect, even if it would be refused now. The exception is a quota that is used up while the read model does
   * not show the run yet.
   * @throws Refusal runs-quota, visitors-quota, function-not-found, site-function-not-found
   */
  async accept(request: RunRequest): Promise<void> {
    // The input of a run that has ended must not be stored again. Most runs are new, so the read does not wait for
    // recent events.
    if ((await this.reads.get<Run>(request.workspaceId, 'runs', request.runId, -1)) !== undefined) return;
    const fn = await this.acceptable(request);
    if (fn === undefined) return;
    await this.inputs.seal(request);
    await this.journal.write(request, [
      { type: 'RunAccepted', data: { ...runFacts(request, fn), depth: request.depth, ...particularsOf(request) } },
    ]);
  }

  /** Returns whether an earlier start has queued the run. Reads up to 1,000 events, with their logs, if none has. */
  async isAccepted(request: RunRequest): Promise<boolean> {
    return (await this.isShownAccepted(request)) ?? (await this.journal.find(request, 'RunAccepted')) !== undefined;
  }

  async failGone(request: RunRequest): Promise<void> {
    const last = (await this.context.last(request)) ?? functionsOf(request).missing();
    const facts = { ...runFacts(request, last), isGone: true, attempt: 1, process: '', accepted: false } as const;
    const error = `The function '${last.name}' was deleted, so nothing was run.`;
    await this.ends.endUnrun(request, { type: 'RunStarted', data: { ...facts, ...depthOf(request) } }, error);
  }

  async find(workspaceId: string, runId: string): Promise<KnownRun | undefined> {
    const run = await this.reads.get<Run>(workspaceId, 'runs', runId);
    if (run === undefined) return undefined;
    const over = run.status === 'success' || run.status === 'error';
    return { accepted: run.accepted, ended: over, error: run.attempts.at(-1)?.error ?? null };
  }

  /** Returns undefined if the run would be refused now, but was accepted before. */
  private async acceptable(request: RunRequest): Promise<FunctionDocument | undefined> {
    try {
      await this.mustHaveRoom(request);
      return await this.context.functionOf(request);
    } catch (error) {
      if (error instanceof Refusal && (await this.wasAccepted(request, error))) return undefined;
      throw error;
    }
  }

  /** A workspace beyond its quota can have many starts refused, so they only cost a read of the read model. */
  private async wasAccepted(request: RunRequest, { kind }: Refusal): Promise<boolean> {
    return kind === 'limited' ? ((await this.isShownAccepted(request)) ?? false) : this.isAccepted(request);
  }

  /** Returns undefined if the read model does not show the run. */
  private async isShownAccepted({ workspaceId, runId }: RunRequest): Promise<boolean | undefined> {
    return (await this.reads.get<Run>(workspaceId, 'runs', runId))?.accepted;
  }

  /**
   * Only new runs are refused. A run that has started is always recorded to its end.
   * @throws Refusal runs-quota, visitors-quota
   */
  private mustHaveRoom({ workspaceId, starter }: RunRequest): Promise<void> {
    return this.quota.mustHaveRoom({ workspaceId, visitedSite: siteVisited(starter) }, 'runs');
  }

  /** Returns undefined unless the run was accepted with `keepsResult` and the result is still retained. */
  result(workspaceId: string, runId: string): Promise<{ readonly result: Json } | undefined> {
    return this.results.find(workspaceId, runId);
  }
}
