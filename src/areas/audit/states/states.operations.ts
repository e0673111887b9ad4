import { query } from '../../../engine/operation/bound-operation.js';
import { typed } from '../../../kernel/field/field.js';
import { PastStates } from './past-states.api.js';

const declared = {
  source: 'Supplementary, audit',
  group: 'audit',
  permission: 'workspace.read',
  tools: 'granted',
  inject: [PastStates],
} as const;
const id = { type: 'string', minLength: 1, maxLength: 200 } as const;
const resource = { kind: { ...id, description: 'Resource kind, e.g. function.' }, id } as const;
const time = typed<string | number>()({
  type: 'any',
  schema: {
    oneOf: [
      { type: 'string', format: 'date-time' },
      { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    ],
  },
  must: 'an ISO 8601 time or a position',
  description: 'A time in the past or a log position.',
});

export const stateOperations = [
  query('audit/getStateAt', {
    ...declared,
    summary:
      'Returns the state of a resource at a time or log position in the past, as its get operation would have returned it, but without data of other resources.',
    answers: {
      fields: {
        state: {
          type: 'object',
          nullable: true,
          description:
            'null if the resource did not exist then. In states larger than 1 MB, large fields and texts are replaced with { leftOut, bytes, sha256 }.',
        },
        position: {
          type: 'integer',
          nullable: true,
          description: "Position of the resource's last event up to then. null if there was none.",
        },
        at: { type: 'string', nullable: true, format: 'date-time', description: 'Time of that event.' },
      },
    },
    input: {
      ...resource,
      at: {
        type: 'string',
        format: 'date-time',
        optional: true,
        description: 'A time in the past. Events in the same millisecond are included. Specify either at or position.',
      },
      position: {
        type: 'integer',
        minimum: 0,
        optional: true,
        description: 'Position of any event in the log. That event is included.',
      },
    },
    handle: (input, call, states) => states.at(call, input),
  }),
  query('audit/diffStates', {
    ...declared,
    summary: 'Returns the differences between the states of a resource at two times or log positions.',
    answers: {
      fields: {
        changes: {
          type: 'array',
          items: 'object',
          description:
            'Each { path, from, to }. `from` and `to` are the values at the respective times, whichever is earlier. If the list would exceed 1 MB, only the first 50 changes are returned, shortened as in getHistory.',
        },
        changesLeftOut: { type: 'integer', optional: true },
      },
    },
    input: { ...resource, from: time, to: time },
    handle: (input, call, states) => states.compared(call, input),
  }),
];
