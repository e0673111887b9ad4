import { Field, type FieldSpecs, OpenShape, typed } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import type { JsonObject } from '../../../kernel/json/json.js';

export const mostAtOnce = 1_000;
export const longestPage = 1_000;

/** Parameters that operations on rows have in addition to the table. */
export const rowParams = {
  id: idField,
  match: { type: 'object', maxBytes: 300_000, description: 'The values by which the row is found.' },
  values: {
    type: 'object',
    maxBytes: 300_000,
    description: 'By the names of the fields. null: the row has no value for the field.',
  },
  seenUpdatedAt: {
    type: 'string',
    format: 'date-time',
    optional: true,
    description: 'The updatedAt that the caller saw: the change is refused when the row was changed since.',
  },
  filter: {
    type: 'object',
    optional: true,
    maxBytes: 1_000_000,
    description:
      '`{ field: value }` or `{ field: { operator: value } }`; `{ any: [filter] }`, `{ all: [filter] }` and `{ not: filter }` nest 8 deep.',
  },
  sort: typed<readonly JsonObject[]>()({
    type: 'array',
    items: 'object',
    maxItems: 20,
    optional: true,
    description: "`[{ field, dir: 'asc' | 'desc' }]`; rows without a value come last, ties are ordered by id.",
  }),
  limit: { type: 'integer', minimum: 1, maximum: longestPage, optional: true, default: 100 },
  cursor: { type: 'string', minLength: 1, maxLength: 100_000, optional: true },
  spec: {
    type: 'object',
    maxBytes: 1_000_000,
    description:
      "`{ groupBy?: [field | { field, by: 'day' | 'week' | 'month' | 'year' }], measures: [{ op: 'count' | 'sum' | 'avg' | 'min' | 'max', field?, as? }], filter?, sort?, limit? }`",
  },
  ids: { type: 'array', items: 'string', maxItems: mostAtOnce },
} as const satisfies FieldSpecs;

/** One of several changes, each of another row. */
export class ChangedRowShape {
  @Field(rowParams.id) id!: string;
  @Field(rowParams.values) values!: JsonObject;
  @Field(rowParams.seenUpdatedAt) seenUpdatedAt?: string;
}

/** A row. It also has a member for each of the table's fields. */
@OpenShape
export class RowRecord {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) createdAt!: string;
  @Field({ type: 'string', description: 'Grows with every change.' }) updatedAt!: string;
  @Field({ type: 'string', nullable: true, description: 'The app user who made it; null: somebody else did.' })
  createdBy!: string | null;
}

export const rowsField = { type: 'array', items: () => RowRecord } as const;

export const listedRows = {
  rows: rowsField,
  total: { type: 'integer', minimum: 0, description: 'How many rows match, on all pages.' },
  nextCursor: { type: 'string', nullable: true, description: 'Send it as cursor to get the next page.' },
  hiddenFields: { type: 'array', items: 'string', description: 'Fields that the caller may not read.' },
} as const;
