import { expect, test } from '@jest/globals';
import type { TableField } from '../table/table.record.js';
import { matchName } from './row.record.js';

const table = {
  id: 'tbl_1',
  fields: [
    { id: 'tags', type: 'multiSelect' },
    { id: 'list', type: 'json' },
  ] as unknown as readonly TableField[],
};
const nameOf = (field: string, value: readonly string[]) =>
  matchName({ tableId: 'tbl_1', values: { [field]: value } }, table, [field]);

test('an upsert reserves the choices of a multiSelect field in any order, as filters compare them', () => {
  expect(nameOf('tags', ['b', 'a'])).toBe(nameOf('tags', ['a', 'b']));
  expect(nameOf('tags', ['b', 'a'])).not.toBe(nameOf('tags', ['a']));
  expect(nameOf('list', ['b', 'a'])).not.toBe(nameOf('list', ['a', 'b']));
});
