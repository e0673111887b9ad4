import { Operation } from '../../../engine/operation/operation.js';
import { asks } from '../../../engine/records/rule.js';
import { Field } from '../../../kernel/field/field.js';
import { PastStates } from './past-states.api.js';

const source = 'Supplementary, audit';
const id = { type: 'string', minLength: 1, maxLength: 200 } as const;
const kindField = { ...id, description: 'Resource kind, e.g. function.' } as const;

@Operation('audit/getStateAt', {
  summary:
    'Returns a resource as its get operation answered it at an instant or a position, without what belongs to others.',
  source,
  group: 'audit',
  effect: 'query',
  permission: 'workspace.read',
  tools: 'granted',
  answers: {
    fields: {
      state: {
        type: 'object',
        nullable: true,
        description:
          'Null when it was not there then. Beyond 1 MB, { leftOut, bytes, sha256 } stands for the largest texts.',
      },
      position: { type: 'integer', nullable: true, description: 'Of its last event by then; null before its first.' },
      at: { type: 'string', nullable: true, format: 'date-time', description: 'Of that event.' },
    },
  },
})
export class GetStateAt {
  @Field(kindField) kind!: string;
  @Field(id) id!: string;
  @Field({
    type: 'string',
    format: 'date-time',
    optional: true,
    description: 'An instant that has passed; events of its millisecond are included. One of at and position.',
  })
  at?: string;
  @Field({ type: 'integer', minimum: 0, optional: true, description: 'Of any event of the log, which is included.' })
  position?: number;
}

const time = {
  type: 'any',
  schema: {
    oneOf: [
      { type: 'string', format: 'date-time' },
      { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    ],
  },
  must: 'an ISO 8601 time or a position',
} as const;

@Operation('audit/diffStates', {
  summary: 'Returns how a resource differs between two times.',
  source,
  group: 'audit',
  effect: 'query',
  permission: 'workspace.read',
  tools: 'granted',
  answers: {
    fields: {
      changes: {
        type: 'array',
        items: 'object',
        description:
          '{ path, from, to }, from what it was at `from` to what it was at `to`, whichever is earlier. Beyond 1 MB the first fifty, as in getHistory; changesLeftOut counts the others.',
      },
      changesLeftOut: { type: 'integer', optional: true },
    },
  },
})
export class DiffStates {
  @Field(kindField) kind!: string;
  @Field(id) id!: string;
  @Field({ ...time, description: 'An instant that has passed, or a position.' }) from!: string | number;
  @Field({ ...time, description: 'An instant that has passed, or a position.' }) to!: string | number;
}

export const stateHandlers = [
  asks(GetStateAt, PastStates, (states, input, call) => states.at(call, input)),
  asks(DiffStates, PastStates, (states, input, call) => states.compared(call, input)),
];
