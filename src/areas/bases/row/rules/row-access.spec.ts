import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { noPolicies, person } from '../../../../../test/support/conditions/condition-facts.js';
import {
  askings,
  orders,
  rowConditions,
  storedRows,
  tables,
} from '../../../../../test/support/conditions/ruled-rows.js';
import { runs } from '../../../../../test/support/depth.js';
import { type Filter, matchesFilter } from '../../../../kernel/rows/row-filter.js';
import { blindTo, fullAccess, hiddenFields, readable, rowAccessOf, shownOf, unwritable } from './row-access.js';
import type { RuledTable } from './ruled-table.js';

const creator = { type: 'creator' };
const signedIn = { type: 'authenticated' };
const nobody: readonly string[] = [];
const finds = async () => nobody;

const withRules = (rules: RuledTable['accessRules'], fields: Readonly<Record<string, object>> = {}): RuledTable => ({
  ...orders,
  accessRules: rules,
  fields: orders.fields.map((field) => ({ ...field, accessRules: fields[field.name] })),
});
const ada = { now: 0, throughSite: true, person: person() };
const visitor = { now: 0, throughSite: true };
const all = ['read', 'create', 'update', 'delete'] as const;
const access = (table: RuledTable, who: typeof visitor = ada, rights: readonly (typeof all)[number][] = all) =>
  rowAccessOf(who, { table, tables, policies: noPolicies }, finds, rights);
const row = (createdBy: string | null) => ({ id: 'row_1', createdBy, values: { fld_text: 'x', fld_number: 7 } });

describe('the access to a table', () => {
  it('is denied to users and visitors while its rules are missing or empty', async () => {
    for (const rules of [undefined, {}, { read: [], create: null }]) {
      const { rows } = await access(withRules(rules as RuledTable['accessRules']));
      expect(Object.values(rows)).toEqual(['nothing', 'nothing', 'nothing', 'nothing']);
    }
  });

  it('follows each right, and only the requested ones are judged', async () => {
    const table = withRules({ read: signedIn, create: signedIn, update: creator, delete: creator });
    const { rows } = await access(table);
    expect(rows).toMatchObject({ read: 'everything', create: 'everything', update: { field: 'createdBy' } });
    expect((await access(table, ada, ['read'])).rows).toMatchObject({ read: 'everything', update: 'nothing' });
    expect((await access(table, visitor)).rows).toMatchObject({ read: 'nothing', delete: 'nothing' });
  });
});

describe('a field with a rule of its own', () => {
  const table = withRules({ read: signedIn }, { a: { read: creator }, c: { read: [], write: creator } });

  it('is left out and named if the rule denies, and shown if it allows', async () => {
    const given = await access(table);
    expect(shownOf(given, row('user_ada'))).toEqual({
      row: { ...row('user_ada'), values: { fld_text: 'x' } },
      hidden: ['fld_number'],
    });
    expect(shownOf(given, row('user_eve'))).toMatchObject({ row: { values: {} }, hidden: ['fld_text', 'fld_number'] });
    expect(hiddenFields(given)).toEqual({ always: ['fld_number'], sometimes: ['fld_text'] });
  });

  it('cannot be written if the rule denies', async () => {
    const given = await access(table);
    expect(unwritable(given, ['fld_text', 'fld_number'], row('user_ada'))).toEqual([]);
    expect(unwritable(given, ['fld_text', 'fld_number'], row('user_eve'))).toEqual(['fld_number']);
  });

  it('without a rule follows its row', async () => {
    const given = await access(withRules({ read: signedIn }, { a: {}, c: { read: null } }));
    expect(shownOf(given, row(null))).toEqual({ row: row(null), hidden: [] });
  });

  it('is open to members and the owner', () => {
    expect(shownOf(fullAccess, row(null)).hidden).toEqual([]);
    expect(unwritable(fullAccess, ['fld_number'], row(null))).toEqual([]);
    expect(readable(fullAccess, undefined)).toEqual({});
  });
});

const texts = fc.constantFrom('a', 'b', '');
const comparisons: fc.Arbitrary<Filter> = fc.oneof(
  fc.record({
    field: fc.constant('values.fld_text'),
    kind: fc.constant('text' as const),
    operator: fc.constantFrom('eq' as const, 'ne' as const, 'gt' as const, 'contains' as const),
    value: texts,
  }),
  fc.record({
    field: fc.constant('values.fld_text'),
    kind: fc.constant('text' as const),
    operator: fc.constantFrom('in' as const, 'nin' as const),
    value: fc.array(texts),
  }),
  fc.record({
    field: fc.constantFrom('values.fld_text', 'values.fld_number'),
    kind: fc.constant('text' as const),
    operator: fc.constantFrom('isEmpty' as const, 'isNotEmpty' as const),
  }),
  fc.record({
    field: fc.constant('values.fld_number'),
    kind: fc.constant('number' as const),
    operator: fc.constantFrom('eq' as const, 'lt' as const),
    value: fc.constantFrom(0, 1),
  }),
  fc.record({
    field: fc.constant('createdBy'),
    kind: fc.constant('text' as const),
    operator: fc.constant('eq' as const),
    value: fc.constant('user_ada'),
  }),
);
const { filters } = fc.letrec<{ filters: Filter }>((tie) => ({
  filters: fc.oneof(
    { maxDepth: 3 },
    comparisons,
    fc.array(tie('filters'), { maxLength: 3 }).map((parts) => ({ all: parts })),
    fc.array(tie('filters'), { maxLength: 3 }).map((parts) => ({ any: parts })),
    tie('filters').map((not) => ({ not })),
  ),
}));

describe("a caller's own filter", () => {
  test('property: finds only what the rows show, never hidden values', async () => {
    let hiding = 0;
    await fc.assert(
      fc.asyncProperty(
        rowConditions,
        rowConditions,
        askings,
        filters,
        storedRows,
        async (one, other, who, filter, rows) => {
          const table = withRules(
            { read: { type: 'public', scope: 'everywhere' } },
            { a: { read: one }, c: { read: other } },
          );
          const given = await rowAccessOf(who, { table, tables, policies: noPolicies }, finds, ['read']);
          for (const stored of rows.filter(({ tableId }) => tableId === orders.id)) {
            const shown = shownOf(given, stored);
            if (shown.hidden.length > 0) hiding += 1;
            expect(matchesFilter(stored, blindTo(given, filter))).toBe(matchesFilter(shown.row, filter));
          }
        },
      ),
      { numRuns: runs(2_000) },
    );
    expect(hiding).toBeGreaterThan(20);
  });

  it('stays within the readable rows, and is not evaluated if there are none', async () => {
    const filter: Filter = { field: 'values.fld_text', kind: 'text', operator: 'eq', value: 'x' };
    const own = { field: 'createdBy', kind: 'text', operator: 'eq', value: 'user_ada' };
    expect(readable(await access(withRules({ read: creator })), filter)).toEqual({ filter: { all: [own, filter] } });
    expect(readable(await access(withRules({ read: creator })), undefined)).toEqual({ filter: own });
    expect(readable(await access(withRules({ read: signedIn })), filter)).toEqual({ filter });
    expect(readable(await access(withRules({ read: creator }), visitor), filter)).toBeUndefined();
  });
});
