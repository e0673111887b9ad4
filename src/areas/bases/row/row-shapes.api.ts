import { Field, type FieldSpecs, OpenShape, typed } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import type { JsonObject } from '../../../kernel/json/json.js';

export const mostAtOnce = 1_000;
export const longestPage = 1_000;

export const rowParams = {
  id: idField,
  match: { type: 'object', maxBytes: 300_000, description: 'Field values that identify the row, by field name.' },
  values: {
    type: 'object',
    maxBytes: 300_000,
    description: 'Values by field name. null removes the value of a field.',
  },
  seenUpdatedAt: {
    type: 'string',
    format: 'date-time',
    optional: true,
    description: 'The updatedAt that the caller last saw. If the row has changed since, the change is refused.',
  },
  filter: {
    type: 'object',
    optional: true,
    maxBytes: 1_000_000,
    description:
      '`{ field: value }` or `{ field: { operator: value } }`. Filters are combined with `{ any: [filter] }`, `{ all: [filter] }` and `{ not: filter }`, nested up to 8 levels deep.',
  },
  sort: typed<readonly JsonObject[]>()({
    type: 'array',
    items: 'object',
    maxItems: 20,
    optional: true,
    description:
      "`[{ field, dir: 'asc' | 'desc' }]`. Rows without a value come last. Rows with equal values are sorted by id.",
  }),
  limit: { type: 'integer', minimum: 1, maximum: longestPage, optional: true, default: 100 },
  // A cursor contains the sorted values of a row in base64. The values of a row have at most 256 KB.
  cursor: { type: 'string', minLength: 1, maxLength: 360_000, optional: true },
  spec: {
    type: 'object',
    maxBytes: 1_000_000,
    description:
      "`{ groupBy?: [field | { field, by: 'day' | 'week' | 'month' | 'year' }], measures: [{ op: 'count' | 'sum' | 'avg' | 'min' | 'max', field?, as? }], filter?, sort?, limit? }`",
  },
  ids: { type: 'array', items: 'string', maxItems: mostAtOnce },
} as const satisfies FieldSpecs;

export class ChangedRowShape {
  @Field(rowParams.id) id!: string;
  @Field(rowParams.values) values!: JsonObject;
  @Field(rowParams.seenUpdatedAt) seenUpdatedAt?: string;
}

@OpenShape
export class RowRecord {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) createdAt!: string;
  @Field({ type: 'string', description: 'Increases with every change.' }) updatedAt!: string;
  @Field({
    type: 'string',
    nullable: true,
    description: 'Id of the app user who created the row. null if the row was not created by an app user.',
  })
  createdBy!: string | null;
}

export const rowsField = { type: 'array', items: () => RowRecord } as const;

export const listedRows = {
  rows: rowsField,
  total: { type: 'integer', minimum: 0, description: 'Number of matching rows, on all pages.' },
  nextCursor: {
    type: 'string',
    nullable: true,
    description: 'Value of `cursor` for the next page. null if there are no more rows.',
  },
  hiddenFields: { type: 'array', items: 'string', description: 'Names of the fields that the caller may not read.' },
} as const;
