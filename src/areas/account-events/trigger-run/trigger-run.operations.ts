import { query } from '../../../engine/operation/bound-operation.js';
import { newestOpen } from '../../../engine/records/newest-first.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { RecordScopes, type Resource } from '../../../engine/scopes/record-scopes.js';
import { shapeOf } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { refuse } from '../account-events.refusals.js';
import { type FiredEvent, type FiringEvent, skipReasons, type TriggerRun } from './trigger-run.record.js';

const TriggerRunRecord = shapeOf('TriggerRunRecord', {
  id: { type: 'string', description: "Also the id of the target's run." },
  triggerId: { type: 'string' },
  status: { type: 'string', enum: ['queued', 'ok', 'failed', 'skipped'] },
  reason: {
    type: 'string',
    enum: skipReasons,
    nullable: true,
    description: 'Why the run was skipped. null if it was not.',
  },
  attempts: { type: 'integer' },
  event: {
    type: 'object',
    description: 'The event that fired the trigger: { id, name, source, origin, subject, properties, occurredAt }.',
  },
  createdAt: { type: 'string', format: 'date-time' },
  finishedAt: { type: 'string', format: 'date-time', nullable: true },
});

export const triggerRunOperations = [
  query('accountEvents/eventTriggerRuns', {
    summary: 'Lists trigger runs, newest first. They are retained for 30 days.',
    source: 'Account Events API, Endpoints',
    group: 'event-triggers',
    permission: 'functions.read',
    tools: 'granted',
    answers: { list: TriggerRunRecord },
    input: {
      triggerId: { ...idField, optional: true, description: 'Only runs of this trigger, which may have been removed.' },
      limit: { type: 'integer', minimum: 1, maximum: 200, optional: true, default: 50 },
      before: { ...idField, optional: true, description: 'Id of a trigger run. Only older ones are returned.' },
    },
    inject: [Reads, RecordScopes],
    handle: async (input, call, reads, scopes) => {
      const { triggerId } = input;
      if (triggerId !== undefined) await scopes.mustBeOpen(call, { kind: 'eventTrigger', id: triggerId });
      const isOpen = scopes.judge(call);
      return newestOpen(reads, call.workspaceId, 'triggerRuns', input, {
        where: triggerId === undefined ? {} : { triggerId },
        by: 'position',
        missing: () => refuse('trigger-run-not-found'),
        open: async (runs: readonly TriggerRun[]) => {
          const found = await withEvents(reads, call.workspaceId, runs);
          const verdicts = await Promise.all(found.map(({ event }) => isOpen(subjectOf(event))));
          return found.filter((_, index) => verdicts[index]);
        },
      });
    },
  }),
];

function subjectOf(event: object): Resource {
  const { type, id } = (event as FiredEvent).subject;
  return { kind: String(type), id: String(id) };
}

async function withEvents(reads: Reads, workspaceId: string, runs: readonly TriggerRun[]) {
  const ids = [...new Set(runs.map(({ eventId }) => eventId))];
  const found = await reads.find<FiringEvent>(workspaceId, 'firingEvents', { where: { id: { in: ids } } });
  const events = new Map(found.map(({ id, event }) => [id, event]));
  return runs.flatMap((run) => {
    const event = events.get(run.eventId);
    return event === undefined ? [] : [{ ...run, event }];
  });
}
