import { expect, it } from '@jest/globals';
import type { Reads } from '../../../../engine/scopes/reads.js';
import type { JsonObject } from '../../../../kernel/json/json.js';
import type { Rows } from '../rows.api.js';
import { fullAccess } from '../rules/row-access.js';
import type { RowCallers } from '../rules/row-callers.js';
import { RowWatch, type Watching } from './row-watch.api.js';

const field = { id: 'fld_n', name: 'n', type: 'number', isRequired: false, isUnique: false, accessRules: {} };
const table = { id: 'tbl', accessRules: {}, fields: [field] };
const rows = { shownTable: async () => table, table: async () => table } as unknown as Rows;
const watch = new RowWatch(rows, { accessOf: async () => fullAccess } as unknown as RowCallers, {} as Reads);
const watched = (filter?: JsonObject) =>
  watch.watched({ call: {}, who: { as: 'owner' }, baseId: 'base', table: 'tbl', filter } as unknown as Watching);
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);

it.each<[string, JsonObject | undefined, number]>([
  ['no filter', undefined, 1],
  ['ten comparisons', { any: numbers(10).map((n) => ({ n })) }, 1],
  ['eleven comparisons', { not: { any: numbers(11).map((n) => ({ n })) } }, 2],
  ['500 comparisons', { all: numbers(500).map((n) => ({ n: { ne: n } })) }, 50],
  ['a list of 500 values', { n: { in: numbers(500) } }, 1],
  ['a list of 10,000 values', { n: { nin: numbers(10_000) } }, 11],
])('a comparison of a row with %s counts by its cost', async (_, filter, weight) => {
  expect((await watched(filter)).weight).toBe(weight);
});

it('rows are matched by the filter, and its key is equal for equal filters and short', async () => {
  const list = await watched({ n: { in: numbers(2_000) } });
  const row = (n: number) => ({ values: { fld_n: n } }) as unknown as Parameters<typeof list.matches>[0];
  expect([list.matches(row(1_999)), list.matches(row(2_000))]).toEqual([true, false]);
  expect(list.key).toBe((await watched({ n: { in: numbers(2_000) } })).key);
  expect(list.key).not.toBe((await watched({ n: { in: numbers(1_999) } })).key);
  expect(list.key.length).toBeLessThan(50);
});
