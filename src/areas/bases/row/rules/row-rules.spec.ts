import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { facts, noPolicies, person, policies } from '../../../../../test/support/conditions/condition-facts.js';
import {
  askings,
  orders,
  policiesWithFaults,
  rowConditions,
  rowFacts,
  rowPolicies,
  type StoredRow,
  storedRows,
  tables,
  withFaults,
} from '../../../../../test/support/conditions/ruled-rows.js';
import { runs } from '../../../../../test/support/depth.js';
import { judge } from '../../../../kernel/judging/judge.js';
import { type Filter, matchesFilter } from '../../../../kernel/rows/row-filter.js';
import { type FindIds, followed, mostRelatedRows } from './related-rows.js';
import { isRowWithin } from './row-access.js';
import { rowsAllowed } from './row-rules.js';

const findIn =
  (rows: readonly StoredRow[]): FindIds =>
  async (tableId, filter, limit) =>
    rows
      .filter((row) => row.tableId === tableId && matchesFilter(row, filter))
      .slice(0, limit)
      .map(({ id }) => id);

describe('the rows that a rule permits', () => {
  test('property: are those that judge permits one by one', async () => {
    const seen = { everything: 0, nothing: 0, some: 0, allowed: 0, denied: 0 };
    await fc.assert(
      fc.asyncProperty(rowConditions, askings, rowPolicies, storedRows, async (condition, asking, set, rows) => {
        const allowed = rowsAllowed(condition, asking, { table: orders, tables, policies: policies(set) });
        seen[typeof allowed === 'string' ? allowed : 'some'] += 1;
        const scope = await followed(allowed, findIn(rows));
        for (const row of rows.filter(({ tableId }) => tableId === orders.id)) {
          const given = facts({ ...asking, row: rowFacts(row, rows) });
          const { isAllowed } = judge(withFaults(condition), given, policiesWithFaults(set));
          seen[isAllowed ? 'allowed' : 'denied'] += 1;
          expect(isRowWithin(scope, row)).toBe(isAllowed);
        }
      }),
      { numRuns: runs(5_000) },
    );
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(20);
  });
});

const ada = person({ properties: { team: 'red', teams: ['blue', 'red'], born: '2000-01-01', age: 7, vip: true } });
const asking = { now: 0, throughSite: true, person: ada };
const place = { table: orders, tables, policies: noPolicies };
const allowed = (condition: unknown, who: object = asking) => rowsAllowed(condition, who as typeof asking, place);

describe('a rule converted to a query', () => {
  test.each<readonly [string, unknown, unknown]>([
    ['who made the row', { type: 'creator' }, { field: 'createdBy', kind: 'text', operator: 'eq', value: 'user_ada' }],
    [
      'a property in a column',
      { type: 'field_match', field: 'a', property: 'team' },
      { field: 'values.fld_text', kind: 'text', operator: 'eq', value: 'red' },
    ],
    [
      'several values of a property',
      { type: 'field_match', field: 'b', property: 'teams' },
      { field: 'values.fld_list', kind: 'list', operator: 'in', value: ['blue', 'red'] },
    ],
    [
      'a date in the form of its column',
      { type: 'field_match', field: 'time', property: 'born' },
      { field: 'values.fld_time', kind: 'text', operator: 'eq', value: '2000-01-01T00:00:00.000Z' },
    ],
    [
      'an address',
      { type: 'email', field: 'mail' },
      { field: 'values.fld_mail', kind: 'text', operator: 'eqIgnoringCase', value: 'ada@example.com' },
    ],
    ['what no value of the column can equal', { type: 'field_match', field: 'c', property: 'team' }, 'nothing'],
    ['the opposite of that', { not: { type: 'field_match', field: 'c', property: 'team' } }, 'everything'],
    ['who asks, beside the row', [{ type: 'authenticated' }, { type: 'creator' }], 'everything'],
    ['no rules', undefined, 'nothing'],
    ['empty rules', [], 'nothing'],
  ])('a rule of %s becomes part of the query', (_, condition, expected) => {
    expect(allowed(condition)).toEqual(expected);
  });

  it('only once, however often it occurs', () => {
    const creator = { type: 'creator' };
    expect(allowed({ any: [creator, [creator, creator], { any: [creator] }] })).toEqual(allowed(creator));
  });

  test.each<readonly [string, unknown]>([
    ['a field that is gone', { type: 'field_match', field: 'gone', property: 'team' }],
    ['a field name that every object has', { type: 'field_match', field: 'constructor', property: 'team' }],
    ['a field without an equality', { type: 'field_match', field: 'json', property: 'team' }],
    ['an address in a number', { type: 'email', field: 'c' }],
    ['a path that leads nowhere', { type: 'relationship', path: 'project.gone' }],
    ['a path that ends at no user', { type: 'relationship', path: 'project.team' }],
    ['a path that is too deep', { type: 'relationship', path: 'project.team.first.order.project.lead' }],
    ['a function', { type: 'function', functionId: 'fn_1' }],
    ['a policy that is gone', { policy: 'gone' }],
  ])('and %s denies everyone, even under not and beside others', (_, rule) => {
    for (const who of [asking, { ...asking, person: undefined }]) {
      expect(allowed(rule, who)).toBe('nothing');
      expect(allowed({ not: rule }, who)).toBe('nothing');
      expect(allowed({ any: [{ type: 'public', scope: 'everywhere' }, rule] }, who)).toBe('nothing');
    }
  });

  it('is not ambiguous if names contain dots', () => {
    const user = { id: 'fld_u', name: 'a.b', type: 'user' };
    const target = { id: 'tbl_other', fields: [{ id: 'fld_b', name: 'b', type: 'user' }] };
    const relation = { id: 'fld_a', name: 'a', type: 'relation', targetTableId: target.id };
    const both = new Map([[target.id, target]]);
    const rule = { type: 'relationship', path: 'a.b' };
    const on = (fields: (typeof user)[]) =>
      rowsAllowed(rule, asking, { table: { id: 'tbl', fields }, tables: both, policies: noPolicies });
    expect(on([user])).not.toBe('nothing');
    expect(on([relation])).not.toBe('nothing');
    expect(on([user, relation])).toBe('nothing');
  });
});

describe('a relationship', () => {
  const rule = { type: 'relationship', path: 'project.team.boss' };

  it('is followed from the caller back, table by table', async () => {
    const asked: (readonly [string, Filter])[] = [];
    const scope = await followed(
      allowed({ any: [rule, { all: [rule, { type: 'creator' }] }] }),
      async (table, filter) => {
        asked.push([table, filter]);
        return table === 'tbl_teams' ? ['row_t1'] : ['row_p1', 'row_p2'];
      },
    );
    expect(asked).toEqual([
      ['tbl_teams', { field: 'values.fld_boss', kind: 'text', operator: 'eq', value: 'user_ada' }],
      ['tbl_projects', { field: 'values.fld_team', kind: 'text', operator: 'in', value: ['row_t1'] }],
    ]);
    const found = { field: 'values.fld_project', kind: 'text', operator: 'in', value: ['row_p1', 'row_p2'] };
    expect(scope).toMatchObject({ any: [found, { all: [found, {}] }] });
  });

  it('over too many rows denies everyone', async () => {
    const many =
      (count: number): FindIds =>
      async (_, __, limit) =>
        Array.from({ length: Math.min(count, limit) }, (_, n) => `row_${n}`);
    expect(await followed(allowed({ not: rule }), many(mostRelatedRows))).toMatchObject({ not: {} });
    expect(await followed(allowed({ not: rule }), many(mostRelatedRows + 1))).toBe('nothing');
  });
});
