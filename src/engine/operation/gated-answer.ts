import { Field } from '../../kernel/field/field.js';

/** Undo of a deletion, as long as it is available. */
export class UndoRecord {
  @Field({ type: 'string', description: 'Of the notice: approvals/undoNotice takes it.' }) id!: string;
  @Field({ type: 'string', format: 'date-time' }) expiresAt!: string;
}

export const undoField = {
  type: 'object',
  shape: () => UndoRecord,
  optional: true,
  description: 'Where something was taken away last and can be given back.',
} as const;

export const ignoredField = {
  type: 'array',
  items: 'string',
  optional: true,
  description: 'Secrets that were sent and left out, because there are none of these names.',
} as const;
