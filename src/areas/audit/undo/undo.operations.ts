import { command } from '../../../engine/operation/bound-operation.js';
import { ChangeUndo } from './change-undo.js';

export const undoOperations = [
  command('audit/undoChange', {
    summary: 'Undoes one recorded change, while the resource is still as that change left it.',
    source: 'Supplementary, audit',
    group: 'audit',
    // The pipeline checks only the right to this operation. The right to the operation that undoes the change is
    // checked when it is known.
    permission: 'workspace.read',
    callers: ['person'],
    tools: 'never',
    gated: 'in parts',
    answers: {
      fields: {
        success: { type: 'boolean', description: 'Always true.' },
        operation: {
          type: 'string',
          description: 'The operation that undid it; audit/undoChange: it was brought back.',
        },
        position: {
          type: 'integer',
          nullable: true,
          description: 'Of the event that undid it, which can itself be undone; null when nothing is recorded yet.',
        },
        waits: {
          type: 'array',
          items: 'object',
          optional: true,
          description:
            'Parts that a person has to approve first: the answers of the operations that asked for them; { operation, refused } where one refused to ask.',
        },
      },
    },
    input: { position: { type: 'integer', minimum: 0, description: 'Of the event, as lists of events show it.' } },
    inject: [ChangeUndo],
    handle: ({ position }, call, undo) => undo.of(call, position),
  }),
];
