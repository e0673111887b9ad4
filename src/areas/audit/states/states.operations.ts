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
  description: 'An instant that has passed, or a position.',
});

export const stateOperations = [
  query('audit/getStateAt', {
    ...declared,
    summary:
      'Returns a resource as its get operation answered it at an instant or a position, without what belongs to others.',
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
    input: {
      ...resource,
      at: {
        type: 'string',
        format: 'date-time',
        optional: true,
        description: 'An instant that has passed; events of its millisecond are included. One of at and position.',
      },
      position: {
        type: 'integer',
        minimum: 0,
        optional: true,
        description: 'Of any event of the log, which is included.',
      },
    },
    handle: (input, call, states) => states.at(call, input),
  }),
  query('audit/diffStates', {
    ...declared,
    summary: 'Returns how a resource differs between two times.',
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
    input: { ...resource, from: time, to: time },
    handle: (input, call, states) => states.compared(call, input),
  }),
];
