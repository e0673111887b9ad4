import { command, query } from '../../../../engine/operation/bound-operation.js';
import type { OperationContext } from '../../../../engine/operation/operation-context.js';
import { newestFirst } from '../../../../engine/records/newest-first.js';
import { Reads } from '../../../../engine/scopes/reads.js';
import { Scopes } from '../../../../engine/scopes/scopes.js';
import { Starters } from '../../../../engine/scopes/starters.js';
import { inWords, runSources } from '../../../../kernel/callers/starter.js';
import { Field } from '../../../../kernel/field/field.js';
import { Clock } from '../../../../ports/clock.port.js';
import { mustShowOlderRuns } from '../../../workspace/workspace/workspace-settings.api.js';
import { accountFunctions, type FunctionDocument } from '../../function/function.record.js';
import { refuse } from '../../functions.refusals.js';
import type { Run, RunLog } from '../run.record.js';
import { StartableFunctions } from '../startable-functions.api.js';
import { Invocations } from './invocations.js';
import { replayableUntil } from './replay.js';
import { ShownRuns } from './shown-runs.js';
import { ranAsDraft } from './site-run-shapes.js';

const source = 'Automations API, Triggers and runs';
const id = { type: 'string', minLength: 1, maxLength: 200 } as const;

const draftToRun = {
  ...id,
  optional: true,
  description:
    'Id of the open draft, to run it instead of the live version. It runs without Full data access and identity mode. Only for persons.',
} as const;

export class RunRecord {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) functionId!: string;
  @Field({ type: 'string' }) functionName!: string;
  @Field({ type: 'string', nullable: true }) scheduleId!: string | null;
  @Field({ type: 'string', description: 'Id of the function version that ran.' }) version!: string;
  @Field(ranAsDraft) draft?: true;
  @Field({ type: 'string', enum: runSources })
  source!: string;
  @Field({ type: 'string', enum: ['queued', 'running', 'success', 'error'] }) status!: string;
  @Field({ type: 'string', description: 'Description of who or what started the run.' }) startedBy!: string;
  @Field({ type: 'string', format: 'date-time' }) startedAt!: string;
  @Field({ type: 'string', format: 'date-time', nullable: true }) finishedAt!: string | null;
  @Field({ type: 'integer', nullable: true, description: 'Milliseconds, of the last attempt.' }) durationMs!:
    | number
    | null;
  @Field({
    type: 'string',
    nullable: true,
    description: 'Error of the last attempt, in one line. null if it did not fail.',
  })
  error!: string | null;
  @Field({ type: 'integer' }) attempt!: number;
  @Field({ type: 'array', items: 'object' }) attempts!: readonly object[];
  @Field({ type: 'string', format: 'date-time', nullable: true }) retryAt!: string | null;
  @Field({ type: 'string', nullable: true, description: 'Id of the run that this run repeats.' }) replayOf!:
    | string
    | null;
  @Field({ type: 'string', nullable: true, description: 'Description of who requested the replay.' })
  replayedBy!: string | null;
  @Field({ type: 'array', items: 'string', description: 'Ids of the latest replays of this run, oldest first.' })
  replays!: readonly string[];
  @Field({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'Time until which replayRun can repeat the run. null if it cannot.',
  })
  replayableUntil!: string | null;
}

export const runOperations = [
  command('automations/invokeFunction', {
    summary: 'Runs a function once and returns its result.',
    source: 'Automations API, Functions',
    group: 'functions',
    permission: 'functions.run',
    tools: 'never',
    outside: ['runs code'],
    answers: {
      fields: {
        result: { type: 'any', description: 'Return value of the function: any JSON value.' },
        runId: { type: 'string' },
        logs: {
          type: 'array',
          items: 'object',
          optional: true,
          description: 'Only present if function logs are enabled.',
        },
      },
    },
    input: {
      id: { ...id, description: 'Id or exact name of the function.' },
      event: { type: 'object', optional: true, description: 'Passed to the function as params.' },
      versionId: draftToRun,
    },
    inject: [StartableFunctions, Starters, Invocations],
    handle: async ({ id: named, event = {}, versionId }, call, functions, starters, invocations) => {
      const starter = await starters.of(call);
      const fn = await functions.find(call.workspaceId, named, starter);
      return invocations.run(call, fn, starter, event, versionId);
    },
  }),
  command('site/invokeBackendFunction', {
    summary:
      "Runs a function of a site once, with the owner's access. It therefore does not show what a visitor may do.",
    source: 'Sites API, Backend functions',
    group: 'backend-functions',
    permission: 'site.edit',
    within: 'project',
    tools: 'never',
    outside: ['runs code'],
    answers: {
      fields: {
        success: { type: 'boolean', description: 'Always true.' },
        data: { type: 'any', description: 'Return value of the function.' },
        executionTime: { type: 'integer', description: 'Duration in milliseconds.' },
        runId: { type: 'string' },
        logs: {
          type: 'array',
          items: 'object',
          optional: true,
          description: 'Only present if function logs are enabled.',
        },
      },
    },
    input: {
      projectId: id,
      functionName: { ...id, description: 'Exact name of the function, not its id.' },
      params: { type: 'object', optional: true },
      versionId: draftToRun,
    },
    inject: [StartableFunctions, Starters, Invocations],
    handle: async ({ projectId, functionName, params = {}, versionId }, call, functions, starters, invocations) => {
      const starter = await starters.of(call);
      // The function's execute rule is not checked, because it restricts only visitors, and the caller is a member.
      const fn = await functions.ofSite(call.workspaceId, projectId, functionName, starter);
      const { result, durationMs, ...ran } = await invocations.run(call, fn, starter, params, versionId);
      return { success: true, data: result, executionTime: durationMs, ...ran };
    },
  }),
  query('automations/listRuns', {
    summary: 'Lists the runs of a function, newest first.',
    source,
    group: 'runs',
    permission: 'functions.read',
    tools: 'granted',
    answers: { list: RunRecord },
    input: {
      functionId: id,
      limit: { type: 'integer', minimum: 1, maximum: 200, optional: true, default: 50 },
      before: {
        ...id,
        optional: true,
        description: 'Id of a run. Only older ones are returned. Refused if the Runs tab is disabled.',
      },
    },
    inject: [Reads, Clock],
    handle: listRuns,
  }),
  query('automations/getRunLog', {
    summary: 'Returns the console output of one run.',
    source,
    group: 'runs',
    permission: 'functions.read',
    tools: 'granted',
    answers: { fields: { lines: { type: 'array', items: 'object', description: 'Each { at, level, text }.' } } },
    input: {
      runId: id,
    },
    inject: [Reads, ShownRuns, Scopes],
    handle: async ({ runId }, call, reads, shown, scopes) => {
      const run = await reads.get<Run>(call.workspaceId, 'runs', runId);
      if (run === undefined || !(await shown.isShown(run))) return refuse('run-not-found');
      await scopes.allow(call, run.projectId);
      return { lines: (await reads.get<RunLog>(call.workspaceId, 'runLogs', runId))?.lines ?? [] };
    },
  }),
];

/** A deleted function's runs are listed until retention removes them (settled question Q-G26). */
async function listRuns(
  { functionId, before, limit }: { readonly functionId: string; readonly before?: string; readonly limit?: number },
  { workspaceId }: OperationContext,
  reads: Reads,
  clock: Clock,
): Promise<readonly RunRecord[]> {
  if (before !== undefined) await mustShowOlderRuns(reads, workspaceId);
  const page = { ...(before === undefined ? {} : { before }), ...(limit === undefined ? {} : { limit }) };
  const runs = await newestFirst<Run>(reads, workspaceId, 'runs', page, {
    where: { functionId },
    by: 'position',
    belongs: (run) => run.functionId === functionId,
    missing: () => refuse('run-not-found'),
  });
  // Runs of a site's function are listed only by listFunctionRuns, because not every caller may read the site.
  if (runs[0]?.projectId !== undefined) return accountFunctions.missing();
  if (runs.length === 0 && !(await reads.get<FunctionDocument>(workspaceId, 'functions', functionId))) {
    return before === undefined ? accountFunctions.missing() : [];
  }
  const now = clock.now();
  return runs.map((run) => recordOf(run, now));
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
