import type { RecordedRunEvent, Run, RunAttempt, RunLog } from '../../src/areas/functions/run/run.record.js';
import { ownedBy, ownerOf } from '../../src/kernel/callers/function-owner.js';
import { parseStream } from '../../src/kernel/event/stream-name.js';
import {
  amend,
  type DocumentChange,
  type On,
  projection,
  put,
  removeWhere,
  step,
} from '../../src/kernel/record/projection.js';

type Started = Extract<RecordedRunEvent, { type: 'RunStarted' }>;
type Accepted = Extract<RecordedRunEvent, { type: 'RunAccepted' }>;
type Ended = Extract<RecordedRunEvent, { type: 'RunEnded' }>;

const mostReplays = 20;

const on: On<RecordedRunEvent> = {
  RunAccepted: (event) => [put<Run>('runs', accepted(event)), ...replayed(event)],
  RunStarted: (event) => [step<Run>('runs', event.data.runId, (run) => started(run ?? newRun(event), event))],
  RunEnded: (event) => [amend<Run>('runs', event.data.runId, (run) => ended(run, event)), ...logged(event)],
  RunInputDropped: ({ data }) => [amend<Run>('runs', data.runId, (run) => ({ ...run, inputDropped: true }))],
  RunsForgotten: ({ stream, data }) => {
    const where = { functionId: parseStream(stream).id, revision: { lte: data.throughRevision } };
    return [removeWhere('runs', where), removeWhere('runLogs', where)];
  },
};

export const runsProjection = projection({
  name: 'runs',
  version: 8,
  collections: {
    runs: {
      indexes: [
        { fields: ['functionId', 'position'] },
        { fields: ['functionId', 'status', 'position'] },
        { fields: ['functionId', 'revision'] },
        { fields: ['projectId', 'position'], ascends: true },
        { fields: ['status', 'accepted', 'createdAt'], ascends: true },
        { fields: ['createdAt'], ascends: true },
        { fields: ['causationId', 'position'] },
      ],
    },
    runLogs: { indexes: [{ fields: ['functionId', 'revision'] }] },
  },
  on,
});

function newRun({ stream, revision, position, metadata, data }: Started | Accepted): Run {
  const { id: functionId, workspaceId } = parseStream(stream);
  const { runId, functionName, version, source, starter, hasFiles, isGone, draft } = data;
  return {
    id: runId,
    workspaceId,
    ...ownedBy(ownerOf(data)),
    functionId,
    functionName,
    version,
    source,
    starter,
    status: 'queued',
    accepted: false,
    depth: 0,
    eventDepth: data.eventDepth ?? 0,
    keepsResult: false,
    neverDeletes: false,
    process: null,
    createdAt: metadata.at,
    attempts: [],
    retryAt: null,
    revision,
    position,
    correlationId: metadata.correlationId,
    causationId: metadata.causationId,
    keepInput: true,
    inputDropped: false,
    pinnedVersion: null,
    replayOf: null,
    replayedBy: null,
    replays: [],
    // Omitted rather than false, so that documents stored before these fields existed equal those of a rebuild.
    ...(hasFiles ? { hasFiles } : {}),
    ...(isGone ? { isGone } : {}),
    ...(draft ? { draft } : {}),
  };
}

function accepted(event: Accepted): Run {
  const {
    depth,
    eventDepth = 0,
    keepInput = true,
    keepsResult = false,
    neverDeletes = false,
    replayOf = null,
    pinned = false,
    version,
  } = event.data;
  const { actor } = event.metadata;
  const replayedBy = actor.kind === 'agent' ? `AI agent ${actor.name}` : actor.name;
  return {
    ...newRun(event),
    accepted: true,
    depth,
    eventDepth,
    keepInput,
    keepsResult,
    neverDeletes,
    pinnedVersion: pinned ? version : null,
    replayOf,
    replayedBy: replayOf === null ? null : replayedBy,
  };
}

function replayed({ data: { replayOf, runId } }: Accepted): readonly DocumentChange[] {
  if (replayOf === undefined) return [];
  return [amend<Run>('runs', replayOf, (run) => ({ ...run, replays: [...run.replays, runId].slice(-mostReplays) }))];
}

function started(run: Run, { data, metadata }: Started): Run {
  const attempt: RunAttempt = {
    number: data.attempt,
    startedAt: metadata.at,
    finishedAt: null,
    durationMs: null,
    error: null,
  };
  const { version, process } = data;
  return { ...run, status: 'running', version, process, retryAt: null, attempts: [...run.attempts, attempt] };
}

/**
 * An attempt that ends without having started is added, so that its error is shown. If two ends are recorded, because a
 * process was wrongly considered dead, only the first is applied.
 */
function ended(run: Run, { data, metadata }: Ended): Run {
  const { error, durationMs, retryAt } = data;
  const end = { finishedAt: metadata.at, durationMs, error };
  const known = run.attempts.find(({ number }) => number === data.attempt);
  if (known !== undefined && known.finishedAt !== null) return run;
  const attempts =
    known !== undefined
      ? run.attempts.map((attempt) => (attempt.number === data.attempt ? { ...attempt, ...end } : attempt))
      : [...run.attempts, { number: data.attempt, startedAt: metadata.at, ...end }];
  const status = retryAt !== null ? 'queued' : error === null ? 'success' : 'error';
  return { ...run, status, retryAt, attempts };
}

function logged({ stream, revision, data }: Ended): readonly DocumentChange[] {
  if (data.logs.length === 0) return [];
  const { id: functionId, workspaceId } = parseStream(stream);
  return [
    step<RunLog>('runLogs', data.runId, (log) => ({
      id: data.runId,
      workspaceId,
      functionId,
      revision: log?.revision ?? revision,
      lines: [...(log?.lines ?? []), ...data.logs],
    })),
  ];
}
