import { command } from '../../../engine/operation/bound-operation.js';
import { CauseDepth } from '../cause-depth.js';
import { CurrentTriggers } from '../event-trigger/current-triggers.api.js';
import { raisedSchemas } from './account-event.js';
import { AccountEventRecord } from './account-event-record.js';
import { eventOrigin } from './event-origin.api.js';

export const accountEventOperations = [
  command('accountEvents/raise', {
    summary: 'Records a custom event and fires every trigger that matches it.',
    source: 'Account Events API, Endpoints',
    group: 'events',
    permission: 'events.raise',
    tools: 'granted',
    outside: ['starts runs'],
    answers: {
      fields: {
        recorded: { type: 'boolean', description: 'false if an event was already recorded with this idempotencyKey.' },
        event: { type: 'string', description: 'Name of the recorded event: custom.<name>.' },
        matched: { type: 'integer', description: 'Number of triggers that match the event when the response is sent.' },
      },
    },
    input: {
      name: {
        type: 'string',
        schema: raisedSchemas.name,
        description: 'Name without prefix. The event is recorded as custom.<name>.',
      },
      subject: {
        type: 'object',
        optional: true,
        description: 'What the event is about, for example { type, id, name }. At most 2 KB of JSON.',
      },
      properties: { type: 'object', optional: true, description: 'At most 30 keys and 8 KB of JSON.' },
      idempotencyKey: {
        type: 'string',
        schema: raisedSchemas.idempotencyKey,
        optional: true,
        description: 'If an event was already recorded with the same key, nothing is recorded.',
      },
    },
    inject: [AccountEventRecord, CauseDepth, CurrentTriggers],
    // If the idempotency key was used before, `matched` is the number of triggers that match the event recorded with
    // that key.
    handle: async (input, call, events, depth, triggers) => {
      const { workspaceId, causationId, actor, caller, notBefore = -1 } = call;
      const raisedBy = { ...input, neverDeletes: caller?.neverDeletes };
      const causes = call.eventDepth ?? (await depth.of(workspaceId, causationId, notBefore));
      const { raised, facts } = await events.recordOnce(call, raisedBy, eventOrigin(actor.kind), causes);
      return { ...raised, matched: await triggers.count(workspaceId, facts) };
    },
  }),
];
