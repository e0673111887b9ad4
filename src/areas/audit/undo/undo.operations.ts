import { command } from '../../../engine/operation/bound-operation.js';
import { ChangeUndo } from './change-undo.js';

export const undoOperations = [
  command('audit/undoChange', {
    summary: 'Undoes one recorded change, if the resource is still in the state that the change produced.',
    source: 'Supplementary, audit',
    group: 'audit',
    // The pipeline checks only the right to `undoChange`. The right to the operation that undoes the change is checked
    // when this operation is known.
    permission: 'workspace.read',
    callers: ['person'],
    tools: 'never',
    gated: 'in parts',
    answers: {
      fields: {
        success: { type: 'boolean', description: 'Always true.' },
        operation: {
          type: 'string',
          description: 'The operation that undid the change. audit/undoChange if a deleted resource was restored.',
        },
        position: {
          type: 'integer',
          nullable: true,
          description:
            'Position of the event that undid the change; that event can be undone as well. null if nothing has been recorded yet.',
        },
        waits: {
          type: 'array',
          items: 'object',
          optional: true,
          description:
            "Parts that need a person's approval first: the responses of the operations that requested it, or { operation, refused } if the request was refused.",
        },
      },
    },
    input: {
      position: { type: 'integer', minimum: 0, description: 'Position of the event, as returned in lists of events.' },
    },
    inject: [ChangeUndo],
    handle: ({ position }, call, undo) => undo.of(call, position),
  }),
];
