import { expect, test } from '@jest/globals';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { deleteRow } from './row.js';
import type { Row } from './row.record.js';

const table = { id: 'tbl_1', name: 'Orders', projectId: 'prj_1', fields: [] } as unknown as Parameters<
  typeof deleteRow
>[0];
const row = { id: 'row_1', tableId: 'tbl_1', values: {}, updatedAt: '2026-01-02T00:00:00.000Z' } as unknown as Row;

test.each([
  ['unless it has changed since it was seen', '2026-01-01T00:00:00.000Z', 'row-changed-since'],
  ['if it has not changed since it was seen', row.updatedAt, 'RowDeleted'],
  ['if nobody says when it was seen', undefined, 'RowDeleted'],
])('a row is deleted %s', (_, seenUpdatedAt, outcome) => {
  const deleted = () => {
    try {
      return deleteRow(table, row, seenUpdatedAt).map(({ type }) => type);
    } catch (error) {
      return error instanceof Refusal ? [error.code] : [String(error)];
    }
  };
  expect(deleted()).toEqual([outcome]);
});
