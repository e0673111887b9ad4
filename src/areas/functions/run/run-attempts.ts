import { Injectable, Logger } from '@nestjs/common';
import { ProcessName } from '../../../engine/cluster/process-name.js';
import { Metrics } from '../../../engine/health/metrics.js';
import { siteVisited } from '../../../kernel/callers/starter.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { Clock } from '../../../ports/clock.port.js';
import { Sandbox, type SandboxOutcome } from '../../../ports/offloaded/sandbox.port.js';
import { CtxTable } from '../ctx/ctx-table.api.js';
import { DataRuns } from '../data-function/data-runs.api.js';
import type { FunctionDocument } from '../function/function.record.js';
import { runFailure } from './outcome/run-failure.api.js';
import { shownOutcome } from './outcome/shown-outcome.js';
import { attemptsAllowed, getsRefusals, mayRun, retryDelayMs } from './run.js';
import { isolateKeyOf, programOf, RunContext, type RunSurroundings } from './run-context.js';
import { RunEnds } from './run-ends.js';
import { RunParams } from './run-params.js';
import { depthOf, ended, type RunEnd, runFacts } from './run-record.js';
import type { RunNow, RunReport, RunRequest } from './run-request.api.js';
import { type RunStarted, RunStarts } from './run-starts.js';
import { RunResults } from './storage/run-results.js';
import { visitorLogs } from './visitors/visitor-outcome.js';

export interface Attempt {
  readonly report: RunReport;
  /** Undefined if this was the last attempt. */
  readonly retryInMs: number | undefined;
}

type ReadyAttempt =
  | { readonly started: RunStarted; readonly fn: FunctionDocument; readonly around: RunSurroundings & CallOfRun }
  | { readonly started: RunStarted; readonly error: string };

type CallOfRun = Pick<RunNow, 'calledBy' | 'stop'>;

const deletedMeanwhile = 'The function was deleted before it could be tried again.';

/** With more concurrent runs than this in the process, start and end events of queued (accepted) runs are batched. */
const batchAbove = 4;

@Injectable()
export class RunAttempts {
  private readonly log = new Logger('Runs');
  private running = 0;

  constructor(
    private readonly context: RunContext,
    private readonly params: RunParams,
    private readonly starts: RunStarts,
    private readonly ends: RunEnds,
    private readonly results: RunResults,
    private readonly sandbox: Sandbox,
    private readonly data: DataRuns,
    private readonly ctx: CtxTable,
    private readonly clock: Clock,
    private readonly process: ProcessName,
    private readonly metrics: Metrics,
  ) {}

  /**
   * If params are refused, records a failed run. The exception is the first attempt of a run whose caller waits and
   * that no trigger started: the refusal is then thrown and nothing is recorded. If a later attempt of a run whose
   * caller waits cannot be prepared, the run has failed.
   * @throws Refusal params-invalid, params-check-given-up, run-not-recorded, idempotency-key-in-progress
   */
  async attempt(
    request: RunRequest,
    attempt: number,
    accepted: boolean,
    { calledBy, found, stop, repeatable }: RunNow = {},
  ): Promise<Attempt> {
    let ready: ReadyAttempt;
    try {
      ready = await this.readied(request, attempt, accepted, { calledBy, found, stop });
    } catch (error) {
      if (accepted || attempt === 1) throw error;
      return this.notTriedAgain(request, attempt, error);
    }
    const { started } = ready;
    await this.starts.claim(request, started, { mayBatch: accepted && this.isBusy, repeatable });
    if ('error' in ready) return this.failed(request, started.data, ready.error);
    this.running += 1;
    try {
      return await this.execute(request, ready.fn, ready.around, attempt, accepted);
    } finally {
      this.running -= 1;
    }
  }

  /**
   * Everything is read before the attempt is claimed, so the code can run even if the stores become unavailable after
   * its start was recorded.
   */
  private async readied(
    request: RunRequest,
    attempt: number,
    accepted: boolean,
    { calledBy, found, stop }: RunNow,
  ): Promise<ReadyAttempt> {
    const fn = await this.context.functionOf(request, found);
    const facts = { ...runFacts(request, fn), attempt, process: this.process.value, accepted, ...depthOf(request) };
    const started: RunStarted = { type: 'RunStarted', data: facts };
    if (!mayRun(fn, request.starter)) {
      return { started, error: `The function '${fn.name}' was not run: target is INACTIVE.` };
    }
    try {
      await this.params.check(fn, request);
    } catch (error) {
      const isAnswered = attempt === 1 && !accepted && getsRefusals(request.starter);
      if (isAnswered || !(error instanceof Refusal)) throw error;
      return { started, error: error.message };
    }
    const around = { ...(await this.context.around(request, fn)), calledBy, stop };
    const { program } = around;
    if (program.ok) return { started, fn, around };
    const error = `The code of the function is no longer accepted: ${program.message} (line ${program.line})`;
    return { started, error };
  }

  /** The run is recorded already, so it would remain open if it got no end. */
  private notTriedAgain(request: RunRequest, attempt: number, fault: unknown): Promise<Attempt> {
    const { error, refusal } = runFailure(this.log, request, fault);
    const sentence = refusal?.kind === 'not-found' ? deletedMeanwhile : error;
    const shown = refusal?.kind === 'unavailable' ? refusal : undefined;
    return this.failed(request, { attempt, accepted: false }, sentence, shown);
  }

  /** @throws Refusal run-not-recorded */
  private async failed(
    request: RunRequest,
    { attempt, accepted }: Pick<RunStarted['data'], 'attempt' | 'accepted'>,
    error: string,
    refusal?: Refusal,
  ): Promise<Attempt> {
    const { runId } = request;
    await this.ends.recordEnd(request, accepted, ended(runId, attempt, error, null));
    return { report: { ok: false, runId, error, logs: [], refusal }, retryInMs: undefined };
  }

  private async execute(
    request: RunRequest,
    fn: FunctionDocument,
    around: RunSurroundings & CallOfRun,
    attempt: number,
    accepted: boolean,
  ): Promise<Attempt> {
    const startedAt = this.clock.now();
    const outcome = await this.outcomeOf(request, fn, around);
    const durationMs = this.clock.now() - startedAt;
    this.metrics.run(request.source, outcome.ok ? 'ok' : outcome.reason, durationMs / 1_000);
    if (outcome.ok && request.keepsResult) await this.results.store(request, outcome.result);
    const again = !outcome.ok && attempt < attemptsAllowed(fn, request.starter);
    const retryInMs = again ? retryDelayMs(attempt) : undefined;
    const end: RunEnd = {
      type: 'RunEnded',
      data: {
        runId: request.runId,
        attempt,
        error: outcome.ok ? null : outcome.error,
        durationMs,
        retryAt: retryInMs === undefined ? null : new Date(this.clock.now() + retryInMs).toISOString(),
        logs: siteVisited(request.starter) === undefined ? outcome.logs : visitorLogs(outcome.logs),
      },
    };
    await this.ends.recordEnd(request, accepted, end, { mayBatch: accepted && this.isBusy });
    const { runId } = request;
    const { logs } = outcome;
    const report: RunReport = outcome.ok
      ? { ok: true, runId, result: outcome.result, logs, durationMs }
      : { ok: false, runId, error: outcome.error, logs, refusal: outcome.refusal };
    return { report, retryInMs };
  }

  private async outcomeOf(
    request: RunRequest,
    fn: FunctionDocument,
    around: RunSurroundings & CallOfRun,
  ): Promise<SandboxOutcome & { readonly refusal?: Refusal | undefined }> {
    const { captureLogs, mostCalls, secrets, program, calledBy, stop, facts, params } = around;
    if (fn.definition !== undefined) return this.data.outcome(request, fn);
    const outcome = await this.sandbox.run({
      isolateKey: isolateKeyOf(request, fn),
      byVisitors: siteVisited(request.starter) !== undefined,
      program: programOf(fn.id, program),
      params,
      context: {
        ...facts,
        secrets: { seal: secrets.seal },
        limits: { databaseCalls: { max: mostCalls, used: 0 } },
      },
      capabilities: this.ctx.capabilitiesFor({ request, function: fn, secrets, mostCalls }),
      timeoutMs: fn.timeout,
      captureLogs,
      calledBy,
      stop,
    });
    return shownOutcome(secrets.hiding, outcome);
  }

  private get isBusy(): boolean {
    return this.running > batchAbove;
  }
}
