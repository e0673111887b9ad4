import { RecordTexts } from '../../../engine/commands/record-texts.js';
import { query } from '../../../engine/operation/bound-operation.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { RecordScopes } from '../../../engine/scopes/record-scopes.js';
import { recordKind } from '../../../kernel/record/record.js';
import { EventStore } from '../../../ports/event-store.port.js';
import { refuse } from '../audit.refusals.js';
import { maySee } from '../audit-visibility.api.js';
import { AuditedEvent, EffectRecord, HistoryEventShape, ListedEventShape } from './audit-answers.api.js';
import { AuditReading } from './audit-reading.api.js';
import type { AuditEntry } from './audit-reading.record.js';
import { CauseChains } from './cause-chains.js';
import { EventList } from './event-list.js';
import { HistoryPages } from './history-page.js';
import { listedEvent, recordedOf } from './listed-event.js';
import { UndoneEvents } from './undone-events.js';

const declared = {
  source: 'Supplementary, audit',
  group: 'audit',
  permission: 'workspace.read',
  tools: 'granted',
} as const;
const id = { type: 'string', minLength: 1, maxLength: 200 } as const;
const aPage = 'A page ends at the limit or at about 1 MB.';
const eventOrRun = {
  ...id,
  optional: true,
  description: 'Specify either eventId or runId. For an inbound email, send its id, mail_…, as eventId.',
} as const;

export const auditOperations = [
  query('audit/listEvents', {
    ...declared,
    summary: 'Lists recorded changes and who made them, newest first.',
    answers: {
      fields: {
        events: { type: 'array', items: () => ListedEventShape },
        next: {
          type: 'integer',
          nullable: true,
          description: `Value of \`before\` for the next page. null if there are no older events. ${aPage}`,
        },
      },
    },
    input: {
      kind: { ...id, optional: true, description: 'Resource kind, e.g. function.' },
      id: { ...id, optional: true, description: 'Resource id.' },
      actorId: { ...id, optional: true },
      types: { type: 'array', items: 'string', maxItems: 50, optional: true, description: 'Event types.' },
      from: { type: 'string', format: 'date-time', optional: true, description: 'Only events at or after this time.' },
      to: { type: 'string', format: 'date-time', optional: true, description: 'Only events before this time.' },
      limit: { type: 'integer', minimum: 1, maximum: 200, optional: true, default: 50 },
      before: { type: 'integer', minimum: 0, optional: true, description: 'Only events with a lower position.' },
    },
    inject: [EventList],
    handle: (input, call, events) => events.page(call, input),
  }),
  query('audit/effectsOf', {
    ...declared,
    summary:
      'Returns what an event, an inbound email or a run caused, in order of distance: events, runs and skipped runs.',
    answers: {
      fields: {
        effects: { type: 'array', items: () => EffectRecord },
        cut: {
          type: 'boolean',
          description: 'Whether the list is incomplete. To continue, call the operation with one of the last effects.',
        },
      },
    },
    input: {
      eventId: eventOrRun,
      runId: eventOrRun,
      limit: { type: 'integer', minimum: 1, maximum: 1_000, optional: true, default: 200 },
    },
    inject: [CauseChains],
    handle: (input, call, chains) => chains.effectsOf(call, input),
  }),
  query('audit/causesOf', {
    ...declared,
    summary: 'Returns the chain of causes of an event or a run, beginning with the direct cause.',
    answers: {
      fields: {
        causes: { type: 'array', items: () => EffectRecord },
        cut: {
          type: 'boolean',
          description: 'Whether the chain is incomplete. To continue, call the operation with the last cause.',
        },
      },
    },
    input: { eventId: eventOrRun, runId: eventOrRun },
    inject: [CauseChains],
    handle: (input, call, chains) => chains.causesOf(call, input),
  }),
  query('audit/getHistory', {
    ...declared,
    summary: "Returns one page of a resource's events, oldest first, each with the changes it made.",
    answers: {
      fields: {
        events: { type: 'array', items: () => HistoryEventShape },
        next: {
          type: 'integer',
          nullable: true,
          description: `Value of \`after\` for the next page. null if there are no later events. ${aPage}`,
        },
      },
    },
    input: {
      kind: id,
      id,
      limit: { type: 'integer', minimum: 1, maximum: 200, optional: true, default: 100 },
      after: { type: 'integer', minimum: 0, optional: true, description: 'Only events with a higher position.' },
    },
    inject: [HistoryPages, AuditReading, RecordScopes, UndoneEvents],
    handle: async (input, call, pages, reading, scopes, undone) => {
      const { kind, id, limit = 100, after = -1 } = input;
      const aggregate = recordKind(kind);
      if (aggregate === undefined || !maySee(call.caller, kind)) return refuse('resource-not-found');
      if (!(await pages.has(call.workspaceId, kind, id))) return refuse('resource-not-found');
      await scopes.mustBeOpen(call, { kind, id });
      await reading.record(call, input);
      const page = await pages.page(call.workspaceId, aggregate, { kind, id, limit, after });
      return { ...page, events: await undone.shown(call.workspaceId, page.events) };
    },
  }),
  query('audit/getEvent', {
    ...declared,
    summary: 'Returns one event, including the texts and data that lists omit.',
    answers: { record: AuditedEvent },
    input: {
      position: { type: 'integer', minimum: 0, description: 'Position of the event, as returned in lists of events.' },
    },
    inject: [Reads, EventStore, AuditReading, RecordTexts, RecordScopes, UndoneEvents],
    handle: async ({ position }, call, reads, store, reading, texts, scopes, undone) => {
      const { workspaceId, caller } = call;
      // Makes two queries, because the only index for positions begins with `listed`.
      const entry =
        (await reads.first<AuditEntry>(workspaceId, 'audit', { listed: true, position })) ??
        (await reads.first<AuditEntry>(workspaceId, 'audit', { listed: false, position }));
      if (entry === undefined || !maySee(caller, entry.kind)) return refuse('resource-not-found');
      await scopes.mustBeOpen(call, { kind: entry.kind, id: entry.resourceId });
      await reading.record(call, { position });
      const data = (await recordedOf(store, entry))?.data ?? null;
      const whole = await texts.whole(recordKind(entry.kind) ?? {}, workspaceId, data);
      const [shown] = await undone.shown(workspaceId, [listedEvent(entry, whole)]);
      return shown ?? refuse('resource-not-found');
    },
  }),
];
