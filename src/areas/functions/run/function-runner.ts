import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Run } from '../../../../projections/functions/run.projection.js';
import { CommandRunner } from '../../../engine/command-runner.js';
import { Metrics } from '../../../engine/metrics.js';
import { ProcessName } from '../../../engine/process-name.js';
import { Reads } from '../../../engine/reads.js';
import type { Json, JsonObject } from '../../../kernel/json.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import { Clock } from '../../../ports/clock.port.js';
import { FunctionRuns, type KnownRun, type RunReport, type RunRequest } from '../../../ports/function-runs.port.js';
import { type CallingRun, type Program, Sandbox } from '../../../ports/sandbox.port.js';
import { checkProgram } from '../../../sandbox/program.js';
import { freshSettings, type Workspace } from '../../workspace/workspace/workspace.record.js';
import { CapabilityTable } from '../capabilities/capability-table.api.js';
import type { RunSecrets } from '../capabilities/run-secrets.api.js';
import { SecretsOfRuns } from '../capabilities/secrets-of-runs.api.js';
import { FunctionVersionReader } from '../function/function.api.js';
import { type AccountFunction, accountFunctions } from '../function/function.record.js';
import { paramsForCode } from './params-for-code.js';
import { attemptsAllowed, hearsRefusals, retryDelayMs } from './run.js';
import type { RunEvent } from './run.record.js';
import { RunInputs } from './run-inputs.js';
import { RunJournal } from './run-journal.js';
import { RunParams } from './run-params.js';
import { ended, endOf } from './run-record.js';
import { RunResults } from './run-results.js';
import { type RunStarted, RunStarts } from './run-starts.js';
import { shownOutcome } from './shown-outcome.js';

type RunEnd = Extract<RunEvent, { type: 'RunEnded' }>;

export interface Attempt {
  readonly report: RunReport;
  /** Milliseconds until it is tried again; undefined: this was the last attempt. */
  readonly retryInMs: number | undefined;
}

/** With more runs than this under way, the start and the end of one wait for those of others. */
const company = 4;

/** What a run needs beside its function. */
interface Around {
  readonly captureLogs: boolean;
  readonly mostCalls: number;
  readonly secrets: RunSecrets;
  readonly calledBy: CallingRun | undefined;
}

/** Records a run, runs it in the sandbox, records its end. */
@Injectable()
export class FunctionRunner extends FunctionRuns {
  private readonly log = new Logger('Runs');
  private going = 0;

  constructor(
    private readonly reads: Reads,
    private readonly functions: CommandRunner,
    private readonly journal: RunJournal,
    private readonly starts: RunStarts,
    private readonly sandbox: Sandbox,
    private readonly inputs: RunInputs,
    private readonly earlier: FunctionVersionReader,
    private readonly params: RunParams,
    private readonly clock: Clock,
    private readonly process: ProcessName,
    private readonly metrics: Metrics,
    private readonly secrets: SecretsOfRuns,
    private readonly results: RunResults,
    @Inject(CapabilityTable) private readonly capabilities: CapabilityTable,
  ) {
    super();
  }

  override async run(request: RunRequest, calledBy?: CallingRun): Promise<RunReport> {
    for (let attempt = 1; ; attempt++) {
      const { report, retryInMs } = await this.attempt(request, attempt, false, calledBy);
      if (retryInMs === undefined) return report;
      await new Promise<void>((resolve) => this.clock.after(retryInMs, resolve));
    }
  }

  override async accept(request: RunRequest): Promise<void> {
    const fn = await this.functionOf(request);
    await this.inputs.seal(request);
    await this.journal.write(request, [
      { type: 'RunAccepted', data: { ...this.facts(request, fn), depth: request.depth, ...particularsOf(request) } },
    ]);
  }

  override async find(workspaceId: string, runId: string): Promise<KnownRun | undefined> {
    const run = await this.reads.get<Run>(workspaceId, 'runs', runId);
    if (run === undefined) return undefined;
    const over = run.status === 'success' || run.status === 'error';
    return { accepted: run.accepted, ended: over, error: run.attempts.at(-1)?.error ?? null };
  }

  override result(workspaceId: string, runId: string): Promise<{ readonly result: Json } | undefined> {
    return this.results.of(workspaceId, runId);
  }

  /**
   * One attempt, from its first event to its last.
   * @throws Refusal params-invalid, params-check-given-up, with nothing recorded, at a first attempt that is waited for
   */
  async attempt(request: RunRequest, attempt: number, accepted: boolean, calledBy?: CallingRun): Promise<Attempt> {
    const fn = await this.functionOf(request);
    const facts = { ...this.facts(request, fn), attempt, process: this.process.value, accepted, ...depthOf(request) };
    const started: RunStarted = { type: 'RunStarted', data: facts };
    if (!fn.isActive && request.starter.kind !== 'member') {
      const error = `The function '${fn.name}' was not run: target is INACTIVE.`;
      return this.failed(request, started, error);
    }
    try {
      await this.params.check(fn, request);
    } catch (error) {
      const heard = attempt === 1 && !accepted && hearsRefusals(request.starter);
      if (heard || !(error instanceof Refusal)) throw error;
      return this.failed(request, started, error.message);
    }
    // Before it begins: between its start and its code nothing is asked that may be away.
    const around = { ...(await this.around(request, fn)), calledBy };
    await this.starts.claim(request, started, { patient: accepted && this.isBusy });
    this.going += 1;
    try {
      return await this.execute(request, fn, around, attempt, accepted);
    } finally {
      this.going -= 1;
    }
  }

  /** An attempt that is over before any code ran; trying again would end it alike. */
  private async failed(request: RunRequest, started: RunStarted, error: string): Promise<Attempt> {
    const { runId } = request;
    const { attempt, accepted } = started.data;
    await this.journal.write(request, [started]);
    await this.journal.write(request, endOf(ended(runId, attempt, error, null), { ...request, accepted }));
    return { report: { ok: false, runId, error, logs: [] }, retryInMs: undefined };
  }

  private async execute(
    request: RunRequest,
    fn: AccountFunction,
    around: Around,
    attempt: number,
    accepted: boolean,
  ): Promise<Attempt> {
    const { captureLogs, mostCalls, secrets, calledBy } = around;
    const startedAt = this.clock.now();
    const version = fn.liveVersionId;
    const outcome = await shownOutcome(
      secrets.hiding,
      await this.sandbox.run({
        isolateKey: `${request.workspaceId}/${fn.id}/${version}`,
        program: programOf(fn),
        params: paramsForCode(request),
        context: {
          run: runContext(request),
          // Sites are keyed by name here; there are none yet.
          sites: {},
          secrets: { seal: secrets.seal },
          limits: { databaseCalls: { max: mostCalls, used: 0 } },
        },
        capabilities: this.capabilities.of({ request, function: fn, secrets, mostCalls }),
        timeoutMs: fn.timeout,
        captureLogs,
        calledBy,
      }),
    );
    const durationMs = this.clock.now() - startedAt;
    this.metrics.run(request.source, outcome.ok ? 'ok' : outcome.reason, durationMs / 1_000);
    if (outcome.ok && request.keepsResult) await this.results.keep(request, outcome.result);
    const again = !outcome.ok && attempt < attemptsAllowed(fn, request.starter);
    const retryInMs = again ? retryDelayMs(attempt) : undefined;
    await this.end(request, accepted, {
      type: 'RunEnded',
      data: {
        runId: request.runId,
        attempt,
        error: outcome.ok ? null : outcome.error,
        durationMs,
        retryAt: retryInMs === undefined ? null : new Date(this.clock.now() + retryInMs).toISOString(),
        logs: outcome.logs,
      },
    });
    const { runId } = request;
    const { logs } = outcome;
    const report: RunReport = outcome.ok
      ? { ok: true, runId, result: outcome.result, logs }
      : { ok: false, runId, error: outcome.error, logs };
    return { report, retryInMs };
  }

  /** So many are going that starts and ends come close together: one write to the disk may take several of them. */
  private get isBusy(): boolean {
    return this.going > company;
  }

  /**
   * What happened must be recorded, however long that takes; the caller hears of the delay at once. Nobody waits any
   * more who would try a run again that was not accepted, so this attempt is its last.
   */
  private async end(request: RunRequest, accepted: boolean, event: RunEnd): Promise<void> {
    try {
      await this.journal.write(request, endOf(event, { ...request, accepted }), { patient: accepted && this.isBusy });
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

  private facts({ runId, source, starter, hasFiles }: RunRequest, fn: AccountFunction) {
    const files = hasFiles ? ({ hasFiles } as const) : {};
    return { runId, functionName: fn.name, version: fn.liveVersionId, source, starter, ...files };
  }

  /** As it is now or, where a version is pinned, as that one has it. */
  private async functionOf(request: RunRequest): Promise<AccountFunction> {
    const { workspaceId, functionId, pinnedVersion } = request;
    const shown = await this.reads.get<AccountFunction>(workspaceId, 'functions', functionId);
    // A read model built elsewhere may not show a new function yet: that it is not there, only its stream says.
    const fn = shown ?? (await this.functions.find(accountFunctions, workspaceId, functionId));
    if (fn === undefined) return accountFunctions.missing();
    return pinnedVersion ? this.earlier.asOf(fn, pinnedVersion) : fn;
  }

  private async around({ workspaceId }: RunRequest, fn: AccountFunction): Promise<Omit<Around, 'calledBy'>> {
    const { settings, plan } = await this.workspace(workspaceId);
    const secrets = await this.secrets.of(workspaceId, fn.secrets);
    return { captureLogs: settings.functionLogs, mostCalls: callsOfPlan(plan), secrets };
  }

  private async workspace(workspaceId: string): Promise<Pick<Workspace, 'settings' | 'plan'>> {
    const workspace = await this.reads.get<Workspace>(workspaceId, 'workspaces', workspaceId);
    return workspace ?? { settings: freshSettings, plan: 'free' };
  }
}

/** `ctx.run`; a replay names the run that it repeats. */
function runContext({ runId, starter, replayOf }: RunRequest): JsonObject {
  const run = { id: runId, startedBy: starter as unknown as JsonObject };
  return replayOf ? { ...run, replayOf } : run;
}

/** Only what triggers started has one to tell. */
const depthOf = ({ eventDepth = 0 }: RunRequest) => (eventDepth === 0 ? {} : { eventDepth });

/** What most acceptances have nothing to tell of. */
function particularsOf(request: RunRequest) {
  const { keepInput = true, keepsResult, replayOf, pinnedVersion, neverDeletes } = request;
  return {
    ...depthOf(request),
    ...(keepInput ? {} : ({ keepInput } as const)),
    ...(keepsResult ? ({ keepsResult } as const) : {}),
    ...(replayOf ? { replayOf } : {}),
    ...(pinnedVersion ? ({ pinned: true } as const) : {}),
    ...(neverDeletes ? ({ neverDeletes } as const) : {}),
  };
}

/** Platform calls that one run may make (Sites API, Code context 5). */
function callsOfPlan(plan: string): number {
  if (plan === 'pro') return 100;
  return plan === 'starter' ? 50 : 20;
}

function programOf(fn: AccountFunction): Program {
  const checked = checkProgram(fn.code);
  if (!checked.ok) throw new Error(`Function ${fn.id} was saved with code that is not accepted now.`);
  return checked.program;
}
