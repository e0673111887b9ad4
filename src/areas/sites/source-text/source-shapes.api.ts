import { Field, type FieldSpec } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';

/** Of the content of a page, component or template, in UTF-8. */
export const contentLimit = 2 * 1024 * 1024;

export const contentField = {
  type: 'any',
  schema: { type: 'string' },
  must: 'a string',
  wrong: (value: unknown) =>
    typeof value === 'string' && Buffer.byteLength(value) > contentLimit
      ? `must be at most ${contentLimit} bytes`
      : undefined,
  description: `At most ${contentLimit} bytes; kept byte for byte.`,
} as const satisfies FieldSpec;

export const messageField = {
  type: 'string',
  maxLength: 500,
  optional: true,
  description: 'The label of the snapshot that the change makes.',
} as const;

const oneOrMore = { type: 'integer', minimum: 1, optional: true } as const;

/** What readPage and its like take. */
export class ReadSource {
  @Field(idField) id!: string;
  @Field({ ...oneOrMore, default: 1, description: 'The first line, from 1.' }) offset?: number;
  @Field({ type: 'integer', minimum: 0, optional: true, description: 'How many lines; left out: all.' }) limit?: number;
}

export class NumberedSource {
  @Field({ type: 'string', description: 'Each line after its number in four places, an arrow and a space.' })
  content!: string;
  @Field({ type: 'integer' }) startLine!: number;
  @Field({ type: 'integer', description: 'startLine - 1 where there is nothing to show.' }) endLine!: number;
  @Field({ type: 'integer' }) totalLines!: number;
}

const exactText = { type: 'string', maxLength: contentLimit } as const satisfies FieldSpec;

/** What editPage and its like take. */
export class EditSource {
  @Field(idField) id!: string;
  @Field({
    ...exactText,
    minLength: 1,
    description: 'Stands there exactly so, byte for byte.',
  })
  oldString!: string;
  @Field({ ...exactText, description: 'Differs from oldString.' }) newString!: string;
  @Field({ type: 'boolean', optional: true, default: false }) replaceAll?: boolean;
  @Field(messageField) commitMessage?: string;
}

export class Replaced {
  @Field({ type: 'integer' }) replaced!: number;
}

/** What searchPage and its like take. */
export class SearchSource {
  @Field(idField) id!: string;
  @Field({ type: 'string', minLength: 1, maxLength: 1_000, description: 'A regular expression, or else a plain text.' })
  pattern!: string;
  @Field({ type: 'integer', minimum: 0, maximum: 100, optional: true, default: 3 }) contextLines?: number;
  @Field({ type: 'integer', minimum: 1, maximum: 1_000, optional: true, default: 5 }) maxMatches?: number;
}

export class SourceMatch {
  @Field({ type: 'integer' }) line!: number;
  @Field({ type: 'string' }) text!: string;
  @Field({ type: 'array', items: 'string' }) before!: readonly string[];
  @Field({ type: 'array', items: 'string' }) after!: readonly string[];
}

export class SourceMatches {
  @Field({ type: 'array', items: () => SourceMatch }) matches!: readonly SourceMatch[];
  @Field({ type: 'boolean', description: 'There are more matches than are shown.' }) truncated!: boolean;
}
