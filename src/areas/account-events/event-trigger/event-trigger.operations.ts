import { Operation, success } from '../../../engine/operation/operation.js';
import { changes } from '../../../engine/records/record-operations.js';
import { Field } from '../../../kernel/field/field.js';
import { patternSchema } from './event-pattern.js';
import { removeEventTrigger } from './event-trigger.js';
import { type EventTargetWord, eventTargetWords, eventTriggers } from './event-trigger.record.js';
import { TriggerConfigShape, TriggerRecord } from './trigger-record.api.js';

const source = 'Account Events API, Endpoints';
const id = { type: 'string', minLength: 1, maxLength: 200 } as const;
const name = { type: 'string', minLength: 1, maxLength: 200, optional: true } as const;
const event = {
  type: 'string',
  maxLength: 100,
  schema: patternSchema,
  description: 'A name, <source>.* or *.',
} as const;
const targetWord = { type: 'string', enum: eventTargetWords } as const;
const filters = {
  type: 'array',
  items: 'object',
  optional: true,
  description: '{ field, op, value } each, all of which have to match; 20 of them and 16 KB.',
} as const;

const config = { type: 'object', shape: () => TriggerConfigShape, optional: true } as const;

@Operation('accountEvents/listEventTriggers', {
  summary: 'Lists the triggers that account events fire.',
  source,
  group: 'event-triggers',
  effect: 'query',
  permission: 'functions.read',
  tools: 'granted',
  answers: { list: TriggerRecord },
})
export class ListEventTriggers {
  @Field({ ...targetWord, optional: true }) targetKind?: EventTargetWord;
  @Field({ ...id, optional: true, description: 'The id of the flow, agent or function.' }) targetRef?: string;
}

@Operation('accountEvents/addEventTrigger', {
  summary: 'Adds a trigger: when the event happens, the target runs.',
  source,
  group: 'event-triggers',
  effect: 'command',
  permission: 'functions.edit',
  tools: 'granted',
  answers: { record: TriggerRecord },
})
export class AddEventTrigger {
  @Field(event) event!: string;
  @Field({ ...targetWord, description: "'specialist' says 'agent'; site_function only where it is switched on." })
  targetKind!: EventTargetWord;
  @Field({ ...id, description: 'The id of the flow, agent or function.' }) targetRef!: string;
  @Field({ ...name, description: 'Made from the event and the target when it is left out.' }) name?: string;
  @Field(filters) filters?: object[];
  @Field(config) config?: TriggerConfigShape;
}

@Operation('accountEvents/updateEventTrigger', {
  summary: 'Updates a trigger; filters and config are replaced whole. Its target stays.',
  source,
  group: 'event-triggers',
  effect: 'command',
  permission: 'functions.edit',
  tools: 'granted',
  answers: { record: TriggerRecord },
})
export class UpdateEventTrigger {
  @Field(id) id!: string;
  @Field(name) name?: string;
  @Field({ ...event, optional: true }) event?: string;
  @Field({ type: 'boolean', optional: true }) isActive?: boolean;
  @Field({ ...filters, description: `${filters.description} [] clears them.` }) filters?: object[];
  @Field(config) config?: TriggerConfigShape;
}

@Operation('accountEvents/removeEventTrigger', {
  summary: 'Removes a trigger; what it did stays listed for 30 days.',
  source,
  group: 'event-triggers',
  effect: 'command',
  permission: 'functions.edit',
  tools: 'granted',
  takesAway: true,
  answers: success,
})
export class RemoveEventTrigger {
  @Field(id) id!: string;
}

@Operation('accountEvents/setFlowEventTrigger', {
  summary: "Adds or changes the trigger of a flow's Event Trigger node.",
  source,
  group: 'event-triggers',
  effect: 'command',
  permission: 'functions.edit',
  tools: 'granted',
  answers: { record: TriggerRecord },
})
export class SetFlowEventTrigger {
  @Field(id) flowId!: string;
  @Field({ ...id, description: "The flow's Event Trigger node." }) triggerId!: string;
  @Field(event) event!: string;
  @Field({ ...filters, description: `${filters.description} Left out: none.` }) filters?: object[];
  @Field({ ...id, optional: true, description: 'Which install an app.<name> event is for.' }) installId?: string;
}

export const eventTriggerHandlers = [changes(RemoveEventTrigger, eventTriggers, removeEventTrigger)];
