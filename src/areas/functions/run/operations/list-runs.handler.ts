import { QueryHandler } from '@nestjs/cqrs';
import { callOf } from '../../../../engine/operation/call.js';
import { newestFirst } from '../../../../engine/records/record-operations.js';
import { Reads } from '../../../../engine/scopes/reads.js';
import { Scopes } from '../../../../engine/scopes/scopes.js';
import { inWords } from '../../../../kernel/callers/starter.js';
import { refuse } from '../../../../kernel/refusals/refusal.js';
import { Clock } from '../../../../ports/clock.port.js';
import type { LogLine } from '../../../../ports/sandbox.port.js';
import { mustShowOlderRuns } from '../../../workspace/workspace/workspace-settings.api.js';
import { type AccountFunction, accountFunctions } from '../../function/function.record.js';
import type { Run, RunLog } from '../run.record.js';
import { replayableUntil } from './replay.js';
import { GetRunLog, ListRuns, type RunRecord } from './run.operations.js';
import { ShownRuns } from './shown-runs.js';

@QueryHandler(ListRuns)
export class ListRunsHandler {
  constructor(
    private readonly reads: Reads,
    private readonly clock: Clock,
  ) {}

  /** Runs of a deleted function stay listed until retention removes them (settled question Q-G26). */
  async execute(input: ListRuns): Promise<readonly RunRecord[]> {
    const { workspaceId } = callOf(input);
    const { functionId, before } = input;
    if (before !== undefined) await mustShowOlderRuns(this.reads, workspaceId);
    const runs = await newestFirst<Run>(this.reads, workspaceId, 'runs', input, {
      where: { functionId },
      by: 'position',
      belongs: (run) => run.functionId === functionId,
      missing: () => refuse('run-not-found'),
    });
    // Those of sites are listed by listFunctionRuns, for whoever may read the site.
    if (runs[0]?.projectId !== undefined) return accountFunctions.missing();
    if (runs.length === 0 && !(await this.reads.get<AccountFunction>(workspaceId, 'functions', functionId))) {
      return before === undefined ? accountFunctions.missing() : [];
    }
    const now = this.clock.now();
    return runs.map((run) => recordOf(run, now));
  }
}

@QueryHandler(GetRunLog)
export class GetRunLogHandler {
  constructor(
    private readonly reads: Reads,
    private readonly shown: ShownRuns,
    private readonly scopes: Scopes,
  ) {}

  async execute(input: GetRunLog): Promise<{ lines: readonly LogLine[] }> {
    const call = callOf(input);
    const { workspaceId } = call;
    const run = await this.reads.get<Run>(workspaceId, 'runs', input.runId);
    if (run === undefined || !(await this.shown.isShown(run))) return refuse('run-not-found');
    await this.scopes.allow(call, run.projectId);
    const log = await this.reads.get<RunLog>(workspaceId, 'runLogs', input.runId);
    return { lines: log?.lines ?? [] };
  }
}

function recordOf(run: Run, now: number): RunRecord {
  const { id, functionId, functionName, version, source, status, attempts, retryAt } = run;
  const { replayOf, replayedBy, replays, draft } = run;
  const last = attempts.at(-1);
  return {
    id,
    functionId,
    functionName,
    scheduleId: run.starter.kind === 'schedule' ? run.starter.id : null,
    version,
    ...(draft && { draft }),
    source,
    status,
    startedBy: inWords(run.starter),
    startedAt: attempts[0]?.startedAt ?? run.createdAt,
    finishedAt: status === 'success' || status === 'error' ? (last?.finishedAt ?? null) : null,
    durationMs: last?.durationMs ?? null,
    error: last?.error ?? null,
    attempt: last?.number ?? 0,
    attempts,
    retryAt,
    replayOf,
    replayedBy,
    replays,
    replayableUntil: replayableUntil(run, now),
  };
}
