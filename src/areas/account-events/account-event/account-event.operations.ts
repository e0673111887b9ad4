import { Operation } from '../../../engine/operation/operation.js';
import { Field } from '../../../kernel/field/field.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { raisedSchemas } from './account-event.js';

@Operation('accountEvents/raise', {
  summary: 'Records an event of your own and runs every trigger that it matches.',
  source: 'Account Events API, Endpoints',
  group: 'events',
  effect: 'command',
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
})
export class Raise {
  @Field({ type: 'string', schema: raisedSchemas.name, description: 'Recorded as custom.<name>.' })
  name!: string;
  @Field({ type: 'object', optional: true, description: 'What it is about, e.g. { type, id, name }; 2 KB.' })
  subject?: JsonObject;
  @Field({ type: 'object', optional: true, description: 'Up to 30 keys and 8 KB.' }) properties?: JsonObject;
  @Field({
    type: 'string',
    schema: raisedSchemas.idempotencyKey,
    optional: true,
    description: 'The same key never records twice.',
  })
  idempotencyKey?: string;
}
