import { command } from '../../../engine/operation/bound-operation.js';
import { CauseDepth } from '../cause-depth.js';
import { CurrentTriggers } from '../event-trigger/current-triggers.api.js';
import { raisedSchemas } from './account-event.js';
import { AccountEventRecord } from './account-event-record.js';
import { eventOrigin } from './event-origin.api.js';

export const accountEventOperations = [
  command('accountEvents/raise', {
    summary: 'Records an event of your own and runs every trigger that it matches.',
    source: 'Account Events API, Endpoints',
    group: 'events',
    permission: 'events.raise',
    tools: 'granted',
    outside: ['starts runs'],
    answers: {
      fields: {
        recorded: { type: 'boolean', description: 'False when the idempotencyKey was used before.' },
        event: { type: 'string', description: 'custom.<name>' },
        matched: { type: 'integer', description: 'Triggers that it matches, as they stand when this is answered.' },
      },
    },
    input: {
      name: { type: 'string', schema: raisedSchemas.name, description: 'Recorded as custom.<name>.' },
      subject: { type: 'object', optional: true, description: 'What it is about, e.g. { type, id, name }; 2 KB.' },
      properties: { type: 'object', optional: true, description: 'Up to 30 keys and 8 KB.' },
      idempotencyKey: {
        type: 'string',
        schema: raisedSchemas.idempotencyKey,
        optional: true,
        description: 'The same key never records twice.',
      },
    },
    inject: [AccountEventRecord, CauseDepth, CurrentTriggers],
    // If the idempotency key was used before, counts the triggers of the event that was recorded with it.
    handle: async (input, call, events, depth, triggers) => {
      const { workspaceId, causationId, actor, caller } = call;
      const raisedBy = { ...input, neverDeletes: caller?.neverDeletes };
      const causes = await depth.of(workspaceId, causationId);
      const { raised, facts } = await events.recordOnce(call, raisedBy, eventOrigin(actor.kind), causes);
      return { ...raised, matched: await triggers.count(workspaceId, facts) };
    },
  }),
];
