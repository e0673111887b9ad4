import { command, query } from '../../../engine/operation/bound-operation.js';
import { success } from '../../../engine/operation/operation.js';
import { typed } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { IdempotentRowAnswers } from './idempotent-row-answers.js';
import { ChangedRowShape, listedRows, mostAtOnce, RowRecord, rowParams, rowsField } from './row-shapes.api.js';
import { type RowCaller, Rows } from './rows.api.js';

const declared = { source: 'Sites API, Bases: rows', group: 'rows', tools: 'granted' } as const;
const reads = { ...declared, permission: 'site.read', inject: [Rows] } as const;
const changes = { ...declared, permission: 'site.edit' } as const;
const ofTable = { tableId: idField } as const;
const oneRow = { ...ofTable, id: idField } as const;
const { values, match, seenUpdatedAt, filter, sort, limit, cursor, spec, ids } = rowParams;

const writes = { ...changes, answers: { record: RowRecord }, inject: [IdempotentRowAnswers] } as const;
const writesMany = {
  ...changes,
  body: 'large',
  answers: { fields: { rows: rowsField } },
  inject: [IdempotentRowAnswers],
} as const;

/** The pipeline has already checked the caller's role. */
const member: RowCaller = { as: 'member' };

export const rowOperations = [
  query('bases/getRow', {
    ...reads,
    summary: 'Returns a row, with its values by field name.',
    answers: { record: RowRecord },
    input: oneRow,
    handle: ({ tableId, id }, call, rows) => rows.getRow(call, member, { id: tableId }, id),
  }),
  query('bases/listRows', {
    ...reads,
    summary: 'Lists rows of a table, in pages. Default order: oldest first.',
    answers: { fields: listedRows },
    input: {
      ...ofTable,
      filter,
      sort,
      limit,
      cursor,
      search: {
        type: 'string',
        maxLength: 1_000,
        optional: true,
        description: 'Only rows with a text field that contains this text. Not case-sensitive.',
      },
    },
    handle: ({ tableId, ...asked }, call, rows) => rows.getRows(call, member, { id: tableId }, asked),
  }),
  query('bases/countRows', {
    ...reads,
    summary: 'Counts the rows of a table that match a filter.',
    answers: { fields: { count: { type: 'integer', minimum: 0 } } },
    input: { ...ofTable, filter },
    handle: async ({ tableId, filter: sent }, call, rows) => ({
      count: await rows.count(call, member, { id: tableId }, sent),
    }),
  }),
  query('bases/reportRows', {
    ...reads,
    summary: 'Groups the rows of a table and computes measures for each group.',
    answers: {
      fields: {
        groups: {
          type: 'any',
          schema: {
            type: 'array',
            items: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean', 'null'] } },
          },
          description: 'One object per group, with the names in groupBy and measures as keys.',
        },
      },
    },
    input: { ...ofTable, spec },
    handle: async ({ tableId, spec: sent }, call, rows) => ({
      groups: await rows.report(call, member, { id: tableId }, sent),
    }),
  }),
  command('bases/createRow', {
    ...writes,
    summary: 'Creates a row.',
    input: { ...ofTable, values },
    handle: async ({ tableId, values: sent }, call, remembered) => {
      const [row] = await remembered.rows.createRows(call, member, { id: tableId }, [sent]);
      return remembered.one(call, row);
    },
  }),
  command('bases/updateRow', {
    ...writes,
    summary: 'Updates a row.',
    input: { ...oneRow, values, seenUpdatedAt },
    handle: async ({ tableId, ...change }, call, remembered) => {
      const [row] = await remembered.rows.updateRows(call, member, { id: tableId }, [change]);
      return remembered.one(call, row);
    },
  }),
  command('bases/upsertRow', {
    ...writes,
    summary:
      'Updates the row that matches, or creates one with the values of `match` and `values`. Never creates a second row with the same `match` values.',
    input: { ...ofTable, match, values },
    handle: async ({ tableId, match: known, values: sent }, call, remembered) =>
      remembered.one(call, await remembered.rows.upsertRow(call, member, { id: tableId }, known, sent)),
  }),
  command('bases/undoRow', {
    ...writes,
    summary:
      "Restores the values that a row had at an earlier time. By default, the row's last change is undone. A deleted row is restored.",
    input: {
      ...oneRow,
      at: {
        type: 'string',
        format: 'date-time',
        optional: true,
        description: 'Restores the values that the row had at this time. Cannot be combined with `before`.',
      },
      before: {
        type: 'integer',
        minimum: 0,
        optional: true,
        description:
          'Restores the values that the row had before the change at this position, as returned in lists of events. Cannot be combined with `at`.',
      },
    },
    handle: async ({ tableId, id, at, before }, call, remembered) =>
      remembered.one(call, await remembered.rows.undoRow(call, { id: tableId }, id, { at, before })),
  }),
  command('bases/deleteRow', {
    ...changes,
    summary: 'Deletes a row. Its history is retained.',
    takesAway: true,
    answers: success,
    input: oneRow,
    inject: [Rows],
    handle: async ({ tableId, id }, call, rows) => {
      await rows.deleteRows(call, member, { id: tableId }, [{ id }]);
      return { success: true };
    },
  }),
  command('bases/eraseRow', {
    ...changes,
    summary:
      'Permanently erases a row, which may already be deleted, including its values in its history. Cannot be undone.',
    takesAway: true,
    outside: ['destroys rows for good'],
    answers: success,
    input: oneRow,
    inject: [Rows],
    handle: async ({ tableId, id }, call, rows) => {
      await rows.eraseRow(call, { id: tableId }, id);
      return { success: true };
    },
  }),
  command('bases/createRows', {
    ...writesMany,
    summary: 'Creates up to 1,000 rows. If one of them is refused, none is created.',
    input: {
      ...ofTable,
      rows: typed<readonly JsonObject[]>()({
        type: 'array',
        items: 'object',
        maxItems: mostAtOnce,
        description: 'Values by field name, for each row.',
      }),
    },
    handle: async ({ tableId, rows }, call, remembered) => ({
      rows: await remembered.all(call, await remembered.rows.createRows(call, member, { id: tableId }, rows)),
    }),
  }),
  command('bases/updateRows', {
    ...writesMany,
    summary: 'Updates up to 1,000 rows. If one of the changes is refused, none is made.',
    input: { ...ofTable, rows: { type: 'array', items: () => ChangedRowShape, maxItems: mostAtOnce } },
    handle: async ({ tableId, rows }, call, remembered) => ({
      rows: await remembered.all(call, await remembered.rows.updateRows(call, member, { id: tableId }, rows)),
    }),
  }),
  command('bases/deleteRows', {
    ...changes,
    summary: 'Deletes up to 1,000 rows. If one of them is refused, none is deleted.',
    takesAway: true,
    answers: { fields: { deleted: { type: 'integer', minimum: 0 } } },
    input: { ...ofTable, ids },
    inject: [Rows],
    handle: async ({ tableId, ids: sent }, call, rows) => {
      await rows.deleteRows(
        call,
        member,
        { id: tableId },
        sent.map((id) => ({ id })),
      );
      return { deleted: sent.length };
    },
  }),
];
