import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type RowCaller, Rows } from '../../../src/areas/bases/row/rows.api.js';
import type { RuledTable } from '../../../src/areas/bases/row/rules/ruled-table.js';
import { Calls } from '../../../src/engine/operation/calls.js';
import type { Json } from '../../../src/kernel/json/json.js';
import { judge } from '../../../src/kernel/judging/judge.js';
import type { TestApp } from '../../support/app.js';
import { facts, noPolicies } from '../../support/conditions/condition-facts.js';
import {
  askings,
  orders,
  projects,
  rowFacts,
  type StoredRow,
  soundRowConditions,
  storedRows,
  teams,
} from '../../support/conditions/ruled-rows.js';
import { runs } from '../../support/depth.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let rows: Rows;
let workspaceId: string;
let tableId: string;
/** The stored rows, with the ids that the service gave them. */
let stored: readonly StoredRow[];

const relations = ['fld_project', 'fld_team', 'fld_first'];

beforeAll(async () => {
  app = await sharedApp();
  rows = app.app.get(Rows, { strict: false });
  workspaceId = (await done(app, 'workspace/getWorkspace')).id;
  const { id: baseId } = await done(app, 'bases/createBase', { name: 'Ruled' });
  const made = new Map<string, string>();
  for (const table of [orders, projects, teams]) {
    const plain = table.fields.filter(({ type }) => type !== 'relation').map(({ name, type }) => fieldOf(name, type));
    made.set(table.id, (await done(app, 'bases/createTable', { baseId, name: table.id, fields: plain })).id);
  }
  for (const table of [orders, projects, teams]) {
    for (const { name, type, targetTableId = '' } of table.fields.filter(({ type }) => type === 'relation')) {
      const field = { name, type, targetTableId: made.get(targetTableId) };
      await done(app, 'bases/addField', { tableId: made.get(table.id), field });
    }
  }
  tableId = made.get(orders.id) ?? '';
  stored = await storing(made);
});
afterAll(() => app.close());

const fieldOf = (name: string, type: string) => ({
  name,
  type,
  ...(type === 'multiSelect' ? { options: ['a', 'b', 'A'] } : {}),
});

/** Creates the rows first and sets their relations afterwards, because relations can be circular. */
async function storing(tableIds: ReadonlyMap<string, string>): Promise<readonly StoredRow[]> {
  const batches = fc.sample(storedRows, { numRuns: 10, seed: 7 });
  const wanted = batches.flatMap((batch, n) => batch.map((row) => storable(row, n, batch)));
  const ids = new Map<string, string>();
  for (const row of wanted) {
    const { values, table } = named(row, (id) => !relations.includes(id));
    const who: RowCaller =
      row.createdBy === null
        ? { as: 'owner' }
        : { as: 'user', asking: { ...asked, person: { ...somebody, id: row.createdBy } }, policies: noPolicies };
    const to = tableIds.get(table.id) ?? '';
    await done(app, 'bases/setTableAccessRules', { tableId: to, accessRules: everybody });
    const [made] = await rows.createRows(contextOf(), who, { id: to }, [values]);
    ids.set(row.id, made?.id ?? '');
  }
  const real = (value: unknown) => ids.get(String(value)) ?? value;
  for (const row of wanted) {
    const { values, table } = named(row, (id) => relations.includes(id));
    const pointing = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, real(value) as Json]));
    const change = { id: ids.get(row.id) ?? '', values: pointing };
    await rows.updateRows(contextOf(), { as: 'owner' }, { id: tableIds.get(table.id) ?? '' }, [change]);
  }
  return wanted.map((row) => ({
    ...row,
    id: ids.get(row.id) ?? '',
    values: Object.fromEntries(
      Object.entries(row.values).map(([id, value]) => [id, relations.includes(id) ? real(value) : value]),
    ),
  }));
}

const open = { type: 'public', scope: 'everywhere' };
const everybody = { read: open, create: open, update: open };
const somebody = { email: null, roleIds: [], entitlements: [], properties: {} };
const asked = { now: 0, throughSite: true };
const contextOf = () =>
  app.app.get(Calls, { strict: false }).once(workspaceId, { kind: 'system', id: 'test', name: 'test' }, 'test');

const targets = new Map(
  [orders, projects, teams].flatMap(({ fields }) => fields.map((one) => [one.id, one.targetTableId])),
);

/** The row without values that a field would refuse, and with an id that is unique across batches. */
function storable(row: StoredRow, batch: number, others: readonly StoredRow[]): StoredRow {
  const ofBatch = (id: unknown) => `row_${batch}_${String(id)}`;
  const values = Object.entries(row.values).flatMap(([id, value]): [string, unknown][] => {
    if (id === 'fld_json' || value === null || value === '') return [];
    if (relations.includes(id) && !others.some((one) => one.id === value && one.tableId === targets.get(id))) return [];
    if (id === 'fld_mail' && /[^ -~]/.test(String(value))) return [];
    if (Array.isArray(value)) return [[id, value.filter((one) => one !== '')]];
    return [[id, relations.includes(id) ? ofBatch(value) : value]];
  });
  return { ...row, id: ofBatch(row.id), values: Object.fromEntries(values) };
}

function named({ tableId: of, values }: StoredRow, wanted: (fieldId: string) => boolean) {
  const table = [orders, projects, teams].find(({ id }) => id === of) as RuledTable;
  const entries = table.fields.flatMap(({ id, name }): [string, Json][] =>
    wanted(id) && values[id] !== undefined ? [[name, values[id] as Json]] : [],
  );
  return { table, values: Object.fromEntries(entries) };
}

describe('rules of rows in the read store', () => {
  test('property: lists, pages, counts, searches and reports show the same rows as single reads', async () => {
    const seen = { none: 0, some: 0, all: 0 };
    await fc.assert(
      fc.asyncProperty(soundRowConditions, askings, async (read, asking) => {
        await done(app, 'bases/setTableAccessRules', { tableId, accessRules: { read } });
        const who: RowCaller = { as: 'user', asking, policies: noPolicies };
        const [call, table] = [contextOf(), { id: tableId }];
        const ofTable = stored.filter((row) => row.tableId === orders.id);
        const expected = ofTable
          .filter((row) => judge(read, facts({ ...asking, row: rowFacts(row, stored) }), noPolicies).isAllowed)
          .map(({ id }) => id)
          .sort();
        seen[expected.length === 0 ? 'none' : expected.length === ofTable.length ? 'all' : 'some'] += 1;

        const singly: string[] = [];
        for (const { id } of ofTable) {
          await rows.getRow(call, who, table, id).then(
            () => singly.push(id),
            () => {},
          );
        }
        expect(singly.sort()).toEqual(expected);

        const list = await rows.getRows(call, who, table, { limit: 1_000 });
        expect([list.rows.map(({ id }) => id).sort(), list.total]).toEqual([expected, expected.length]);
        const paged: string[] = [];
        let cursor: string | undefined;
        do {
          const page = await rows.getRows(call, who, table, { limit: 7, sort: [{ field: 'a', dir: 'desc' }], cursor });
          paged.push(...page.rows.map(({ id }) => id));
          cursor = page.nextCursor ?? undefined;
        } while (cursor !== undefined);
        expect(paged.sort()).toEqual(expected);

        expect(await rows.count(call, who, table)).toBe(expected.length);
        const groups = await rows.report(call, who, table, { groupBy: ['a'], measures: [{ op: 'count' }] });
        expect(groups.reduce((sum, group) => sum + Number(group['count']), 0)).toBe(expected.length);

        const found = await rows.getRows(call, who, table, { search: 'ADA', limit: 1_000 });
        const holding = ofTable.filter(({ values }) => /ada/i.test(`${values['fld_text']} ${values['fld_mail']}`));
        const searched = holding.map(({ id }) => id).filter((id) => expected.includes(id));
        expect(found.rows.map(({ id }) => id).sort()).toEqual(searched.sort());
      }),
      { numRuns: runs(300) },
    );
    expect(Math.min(seen.none, seen.some, seen.all)).toBeGreaterThan(0);
  });
});
