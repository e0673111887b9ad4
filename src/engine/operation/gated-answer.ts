import { Field } from '../../kernel/field/field.js';

export class UndoRecord {
  @Field({ type: 'string', description: 'Id of the notice, for approvals/undoNotice.' }) id!: string;
  @Field({ type: 'string', format: 'date-time' }) expiresAt!: string;
}

export const undoField = {
  type: 'object',
  shape: () => UndoRecord,
  optional: true,
  description:
    'How to undo the last change that took effect without approval, such as a removal of powers or secrets. Omitted if nothing can be undone.',
} as const;

export const ignoredField = {
  type: 'array',
  items: 'string',
  optional: true,
  description: 'Names that were sent and ignored, because no secrets have these names.',
} as const;
