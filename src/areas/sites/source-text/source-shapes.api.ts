import { Field, type FieldSpecs, type ValuesOf } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { contentLimit } from '../snapshot/snapshot.record.js';

export const messageField = {
  type: 'string',
  maxLength: 500,
  optional: true,
  description: 'Label of the snapshot that the change makes.',
} as const;

export type CommitMessage = ValuesOf<{ readonly commitMessage: typeof messageField }>;

export const deleteSource = { id: idField, commitMessage: messageField } as const satisfies FieldSpecs;

export const readSourceFields = {
  id: idField,
  offset: {
    type: 'integer',
    minimum: 1,
    optional: true,
    default: 1,
    description: 'Number of the first line, counted from 1.',
  },
  limit: { type: 'integer', minimum: 0, optional: true, description: 'Number of lines. If omitted, all.' },
} as const satisfies FieldSpecs;
export type ReadSource = ValuesOf<typeof readSourceFields>;

export class NumberedSource {
  @Field({
    type: 'string',
    description:
      'Lines with their numbers: the number padded to four characters, an arrow and a space before each line.',
  })
  content!: string;
  @Field({ type: 'integer' }) startLine!: number;
  @Field({ type: 'integer', description: 'Number of the last line shown. startLine - 1 if no lines are shown.' })
  endLine!: number;
  @Field({ type: 'integer' }) totalLines!: number;
}

export const editSource = {
  id: idField,
  oldString: {
    type: 'string',
    minLength: 1,
    maxLength: contentLimit,
    description: 'The text to replace. Must match the content exactly, byte for byte.',
  },
  newString: { type: 'string', maxLength: contentLimit, description: 'The replacement. Must differ from oldString.' },
  replaceAll: { type: 'boolean', optional: true, default: false },
  commitMessage: messageField,
} as const satisfies FieldSpecs;
export type EditSource = ValuesOf<typeof editSource>;

export class Replaced {
  @Field({ type: 'integer' }) replaced!: number;
}

export const searchSource = {
  id: idField,
  pattern: {
    type: 'string',
    minLength: 1,
    maxLength: 1_000,
    description: 'A regular expression. If it is not a valid one, it is searched for as plain text.',
  },
  contextLines: { type: 'integer', minimum: 0, maximum: 100, optional: true, default: 3 },
  maxMatches: { type: 'integer', minimum: 1, maximum: 1_000, optional: true, default: 5 },
} as const satisfies FieldSpecs;
export type SearchSource = ValuesOf<typeof searchSource>;

class SourceMatch {
  @Field({ type: 'integer' }) line!: number;
  @Field({ type: 'string' }) text!: string;
  @Field({ type: 'array', items: 'string' }) before!: readonly string[];
  @Field({ type: 'array', items: 'string' }) after!: readonly string[];
}

export class SourceMatches {
  @Field({ type: 'array', items: () => SourceMatch }) matches!: readonly SourceMatch[];
  @Field({ type: 'boolean', description: 'Whether there are more matches than are shown.' }) truncated!: boolean;
}

export class SourceUse {
  @Field({ type: 'string', description: 'Kind of the source, such as page or component.' }) kind!: string;
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'integer', description: 'The first line that refers to the deleted record.' }) line!: number;
}

export class DeletedInUse {
  @Field({ type: 'boolean', description: 'Always true.' }) success!: true;
  @Field({
    type: 'array',
    items: () => SourceUse,
    description: 'Sources that still refer to the deleted record and must be corrected.',
  })
  usedBy!: readonly SourceUse[];
}
