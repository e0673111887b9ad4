import {
  type FiringEvent,
  type RecordedTriggerRunEvent,
  type TriggerFiring,
  type TriggerRun,
  type TriggerSkipReason,
  triggerRunId,
} from '../../src/areas/account-events/trigger-run/trigger-run.record.js';
import {
  amend,
  type DocumentChange,
  type On,
  projection,
  put,
  removeWhere,
  step,
} from '../../src/kernel/record/projection.js';

type Fired = Extract<RecordedTriggerRunEvent, { type: 'TriggersFired' }>;

const on: On<RecordedTriggerRunEvent> = {
  TriggersFired: (event) => {
    const { started, skipped, root } = event.data;
    const isRoot = root === event.data.event.id;
    const { workspaceId } = event.metadata;
    return [
      put<FiringEvent>('firingEvents', {
        id: event.data.event.id,
        workspaceId,
        event: event.data.event,
        causationId: event.data.cause,
        root,
        chain: isRoot ? started.length : 0,
        position: event.position,
        revision: event.revision,
      }),
      ...(isRoot ? [] : [lengthened(root, started.length)]),
      ...started.map((triggerId) => put<TriggerRun>('triggerRuns', runOf(event, triggerId, null))),
      ...skipped.flatMap(({ reason, triggerIds }) =>
        triggerIds.map((triggerId) => put<TriggerRun>('triggerRuns', runOf(event, triggerId, reason))),
      ),
      ...started.map((triggerId) => counted(workspaceId, triggerId, 1, event.metadata.at)),
    ];
  },
  TriggerRunsNotStarted: ({ data, metadata: { at, workspaceId } }) =>
    data.runs.flatMap(({ runId, triggerId, reason }) => [
      amend<TriggerRun>('triggerRuns', runId, (run) => {
        if (run.status !== 'queued') return run;
        return { ...run, status: reason === null ? 'failed' : 'skipped', reason, finishedAt: at };
      }),
      counted(workspaceId, triggerId, -1, null),
    ]),
  // The end of an attempt is recorded twice if its process was wrongly considered dead. Only the first is applied.
  TriggerRunsEnded: ({ data }) =>
    data.runs.map(({ runId, attempt, status, at }) =>
      amend<TriggerRun>('triggerRuns', runId, (run) => {
        if (run.status !== 'queued' || attempt <= run.attempts) return run;
        return { ...run, attempts: attempt, ...(status === null ? {} : { status, finishedAt: at }) };
      }),
    ),
  TriggerRunsForgotten: ({ data: { throughRevision, fired }, metadata: { workspaceId } }) => {
    const where = { workspaceId, revision: { lte: throughRevision } };
    return [
      ...fired.map(({ triggerId, count, lastFiredAt }) =>
        put<TriggerFiring>('triggerFirings', { id: triggerId, workspaceId, count, lastFiredAt }),
      ),
      removeWhere('triggerRuns', where),
      removeWhere('firingEvents', where),
    ];
  },
};

export const triggerRunsProjection = projection({
  name: 'triggerRuns',
  version: 1,
  collections: {
    triggerRuns: {
      indexes: [
        { fields: ['workspaceId', 'position'] },
        { fields: ['triggerId', 'position'] },
        { fields: ['eventId', 'position'] },
        { fields: ['workspaceId', 'revision'] },
        { fields: ['createdAt'] },
        { fields: ['status', 'workspaceId'] },
      ],
    },
    firingEvents: { indexes: [{ fields: ['workspaceId', 'revision'] }, { fields: ['causationId', 'position'] }] },
    triggerFirings: { indexes: [{ fields: ['workspaceId'] }] },
  },
  on,
});

function runOf(event: Fired, triggerId: string, reason: TriggerSkipReason | null): TriggerRun {
  const { data, metadata, position, revision } = event;
  const skipped = reason !== null;
  return {
    id: triggerRunId(data.event.id, triggerId),
    workspaceId: metadata.workspaceId,
    triggerId,
    eventId: data.event.id,
    status: skipped ? 'skipped' : 'queued',
    reason,
    attempts: 0,
    createdAt: metadata.at,
    finishedAt: skipped ? metadata.at : null,
    position,
    revision,
  };
}

function counted(workspaceId: string, triggerId: string, by: 1 | -1, at: string | null): DocumentChange {
  return step<TriggerFiring>('triggerFirings', triggerId, (firing) => ({
    id: triggerId,
    workspaceId,
    count: Math.max(0, (firing?.count ?? 0) + by),
    lastFiredAt: at ?? firing?.lastFiredAt ?? null,
  }));
}

const lengthened = (root: string, by: number): DocumentChange =>
  amend<FiringEvent>('firingEvents', root, (firing) => ({ ...firing, chain: firing.chain + by }));
