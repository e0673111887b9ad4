import { Injectable } from '@nestjs/common';
import { RecordingQuota } from '../../../engine/quotas/recording-quota.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { siteVisited } from '../../../kernel/callers/starter.js';
import type { Json } from '../../../kernel/json/json.js';
import { Clock } from '../../../ports/clock.port.js';
import type { CallingRun } from '../../../ports/sandbox.port.js';
import { functionsOf } from '../function/function-kinds.api.js';
import { FunctionRuns, type KnownRun, type RunReport, type RunRequest } from './function-runs.api.js';
import type { Run } from './run.record.js';
import { RunAttempts } from './run-attempts.js';
import { RunContext } from './run-context.js';
import { RunEnds } from './run-ends.js';
import { RunInputs } from './run-inputs.api.js';
import { RunJournal } from './run-journal.js';
import { depthOf, factsOf, particularsOf } from './run-record.js';
import { RunResults } from './run-results.js';

/** Runs functions now, or accepts runs for later. */
@Injectable()
export class FunctionRunner extends FunctionRuns {
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
  ) {
    super();
  }

  override async run(request: RunRequest, calledBy?: CallingRun): Promise<RunReport> {
    await this.mustHaveRoom(request);
    for (let attempt = 1; ; attempt++) {
      const { report, retryInMs } = await this.attempts.attempt(request, attempt, false, calledBy);
      if (retryInMs === undefined) return report;
      await new Promise<void>((resolve) => this.clock.after(retryInMs, resolve));
    }
  }

  override async accept(request: RunRequest): Promise<void> {
    await this.mustHaveRoom(request);
    const fn = await this.context.functionOf(request);
    await this.inputs.seal(request);
    await this.journal.write(request, [
      { type: 'RunAccepted', data: { ...factsOf(request, fn), depth: request.depth, ...particularsOf(request) } },
    ]);
  }

  override async failGone(request: RunRequest): Promise<void> {
    const last = (await this.context.last(request)) ?? functionsOf(request).missing();
    const facts = { ...factsOf(request, last), isGone: true, attempt: 1, process: '', accepted: false } as const;
    const error = `The function '${last.name}' is gone, so nothing was run.`;
    await this.ends.endUnrun(request, { type: 'RunStarted', data: { ...facts, ...depthOf(request) } }, error);
  }

  override async find(workspaceId: string, runId: string): Promise<KnownRun | undefined> {
    const run = await this.reads.get<Run>(workspaceId, 'runs', runId);
    if (run === undefined) return undefined;
    const over = run.status === 'success' || run.status === 'error';
    return { accepted: run.accepted, ended: over, error: run.attempts.at(-1)?.error ?? null };
  }

  /** What has begun is recorded to its end. @throws Refusal runs-quota, visitors-quota */
  private mustHaveRoom({ workspaceId, starter }: RunRequest): Promise<void> {
    return this.quota.mustHaveRoom({ workspaceId, visitedSite: siteVisited(starter) }, 'runs');
  }

  override result(workspaceId: string, runId: string): Promise<{ readonly result: Json } | undefined> {
    return this.results.of(workspaceId, runId);
  }
}
