import { Operation, type OperationSpec, success } from '../../../engine/operation/operation.js';
import { Field, OpenShape } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import type { JsonObject } from '../../../kernel/json/json.js';

const source = 'Sites API, Bases: rows';
const group = 'rows';
const asks = { source, group, effect: 'query', permission: 'site.read', tools: 'granted' } as const;
const changes = { source, group, effect: 'command', permission: 'site.edit', tools: 'granted' } as const;
export const mostAtOnce = 1_000;
export const longestPage = 1_000;

const seen = {
  type: 'string',
  format: 'date-time',
  optional: true,
  description: 'The updatedAt that the caller saw: the change is refused when the row was changed since.',
} as const;
const valuesField = {
  type: 'object',
  maxBytes: 300_000,
  description: 'By the names of the fields. null: the row has no value for the field.',
} as const;
const filterField = {
  type: 'object',
  optional: true,
  maxBytes: 1_000_000,
  description:
    '`{ field: value }` or `{ field: { operator: value } }`; `{ any: [filter] }`, `{ all: [filter] }` and `{ not: filter }` nest 8 deep.',
} as const;
const sortField = {
  type: 'array',
  items: 'object',
  maxItems: 20,
  optional: true,
  description: "`[{ field, dir: 'asc' | 'desc' }]`; rows without a value come last, ties are ordered by id.",
} as const;

/** The fields of the table stand beside these. */
@OpenShape
export class RowRecord {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) createdAt!: string;
  @Field({ type: 'string', description: 'Grows with every change.' }) updatedAt!: string;
  @Field({ type: 'string', nullable: true, description: 'The app user who made it; null: somebody else did.' })
  createdBy!: string | null;
}

export const rowsField = { type: 'array', items: () => RowRecord } as const;
/** A page of rows. */
export const listedRows = {
  rows: rowsField,
  total: { type: 'integer', minimum: 0, description: 'How many rows match, on all pages.' },
  nextCursor: { type: 'string', nullable: true, description: 'Send it as cursor to get the next page.' },
  hiddenFields: { type: 'array', items: 'string', description: 'Fields that the caller may not read.' },
} as const;
const row = { record: RowRecord } as const satisfies OperationSpec['answers'];

class OfTable {
  @Field(idField) tableId!: string;
}

class OneRow extends OfTable {
  @Field(idField) id!: string;
}

@Operation('bases/getRow', {
  ...asks,
  summary: 'Returns a row, with its values by the names of the fields.',
  answers: row,
})
export class GetRow extends OneRow {}

@Operation('bases/listRows', {
  ...asks,
  summary: 'Lists rows of a table, the oldest first where no order is asked for, a page at a time.',
  answers: { fields: listedRows },
})
export class ListRows extends OfTable {
  @Field(filterField) filter?: JsonObject;
  @Field(sortField) sort?: readonly JsonObject[];
  @Field({ type: 'integer', minimum: 1, maximum: longestPage, optional: true, default: 100 }) limit?: number;
  @Field({ type: 'string', minLength: 1, maxLength: 100_000, optional: true }) cursor?: string;
  @Field({
    type: 'string',
    maxLength: 1_000,
    optional: true,
    description: 'A part of any text field; case does not count.',
  })
  search?: string;
}

@Operation('bases/countRows', {
  ...asks,
  summary: 'Counts the rows of a table that match.',
  answers: { fields: { count: { type: 'integer', minimum: 0 } } },
})
export class CountRows extends OfTable {
  @Field(filterField) filter?: JsonObject;
}

@Operation('bases/reportRows', {
  ...asks,
  summary: 'Groups the rows of a table and measures each group.',
  answers: {
    fields: {
      groups: {
        type: 'any',
        schema: {
          type: 'array',
          items: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean', 'null'] } },
        },
        description: 'By the names of groupBy and measures.',
      },
    },
  },
})
export class ReportRows extends OfTable {
  @Field({
    type: 'object',
    maxBytes: 1_000_000,
    description:
      "`{ groupBy?: [field | { field, by: 'day' | 'week' | 'month' | 'year' }], measures: [{ op: 'count' | 'sum' | 'avg' | 'min' | 'max', field?, as? }], filter?, sort?, limit? }`",
  })
  spec!: JsonObject;
}

@Operation('bases/createRow', { ...changes, summary: 'Creates a row.', answers: row })
export class CreateRow extends OfTable {
  @Field(valuesField) values!: JsonObject;
}

@Operation('bases/updateRow', { ...changes, summary: 'Updates a row.', answers: row })
export class UpdateRow extends OneRow {
  @Field(valuesField) values!: JsonObject;
  @Field(seen) seenUpdatedAt?: string;
}

@Operation('bases/upsertRow', {
  ...changes,
  summary: 'Changes the row with the values of match, or creates it with match and values. Never makes a second one.',
  answers: row,
})
export class UpsertRow extends OfTable {
  @Field({ ...valuesField, description: 'The values by which the row is known.' }) match!: JsonObject;
  @Field(valuesField) values!: JsonObject;
}

@Operation('bases/undoRow', {
  ...changes,
  summary:
    'Gives a row the values that it had before its last change or another one, or at an instant. A deleted row is there again.',
  answers: row,
})
export class UndoRow extends OneRow {
  @Field({
    type: 'string',
    format: 'date-time',
    optional: true,
    description: 'What the row was then comes back. Without it and before: what it was before its last change.',
  })
  at?: string;

  @Field({
    type: 'integer',
    minimum: 0,
    optional: true,
    description: 'Position of a change, as lists of events show it: what the row was before it comes back.',
  })
  before?: number;
}

@Operation('bases/deleteRow', {
  ...changes,
  summary: 'Deletes a row; its history stays.',
  takesAway: true,
  answers: success,
})
export class DeleteRow extends OneRow {}

@Operation('bases/eraseRow', {
  ...changes,
  summary: 'Deletes a row, or finds it deleted, and destroys its values in its history as well. Nothing undoes it.',
  takesAway: true,
  outside: ['destroys rows for good'],
  answers: success,
})
export class EraseRow extends OneRow {}

export class ChangedRowShape {
  @Field(idField) id!: string;
  @Field(valuesField) values!: JsonObject;
  @Field(seen) seenUpdatedAt?: string;
}

@Operation('bases/createRows', {
  ...changes,
  summary: 'Creates up to 1,000 rows: all of them or, where one is refused, none.',
  body: 'large',
  answers: { fields: { rows: rowsField } },
})
export class CreateRows extends OfTable {
  @Field({ type: 'array', items: 'object', maxItems: mostAtOnce, description: 'The values of each row.' })
  rows!: readonly JsonObject[];
}

@Operation('bases/updateRows', {
  ...changes,
  summary: 'Updates up to 1,000 rows: all of them or, where one is refused, none.',
  body: 'large',
  answers: { fields: { rows: rowsField } },
})
export class UpdateRows extends OfTable {
  @Field({ type: 'array', items: () => ChangedRowShape, maxItems: mostAtOnce }) rows!: readonly ChangedRowShape[];
}

@Operation('bases/deleteRows', {
  ...changes,
  summary: 'Deletes up to 1,000 rows: all of them or, where one is refused, none.',
  takesAway: true,
  answers: { fields: { deleted: { type: 'integer', minimum: 0 } } },
})
export class DeleteRows extends OfTable {
  @Field({ type: 'array', items: 'string', maxItems: mostAtOnce }) ids!: readonly string[];
}
