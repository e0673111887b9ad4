// Engines: one process.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type RowCaller, Rows } from '../../../src/areas/bases/row/rows.api.js';
import { Calls } from '../../../src/engine/operation/calls.js';
import type { OperationContext } from '../../../src/engine/operation/operation-context.js';
import type { JsonObject } from '../../../src/kernel/json/json.js';
import type { TestApp } from '../../support/app.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let rows: Rows;
let call: OperationContext;
let tableId: string;
beforeAll(async () => {
  app = await sharedApp();
  rows = app.app.get(Rows, { strict: false });
  const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
  const actor = { kind: 'automation', id: 'fn_1', name: 'a function of a site' } as const;
  call = app.app.get(Calls, { strict: false }).once(workspaceId, actor, 'a test');
});
afterAll(() => app.close());

const person = (id: string, properties: JsonObject = {}) =>
  ({ id, email: null, roleIds: [], entitlements: [], properties }) as const;
const as = (who?: ReturnType<typeof person>): RowCaller => ({
  as: 'user',
  asking: { now: Date.now(), throughSite: true, ...(who === undefined ? {} : { person: who }) },
  policies: () => undefined,
});
const [ada, bob, nobody] = [as(person('usr_ada', { team: 'red' })), as(person('usr_bob')), as()];
const name = () => ({ id: tableId });
const code = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (refusal) => refusal.code,
  );

const create = async (who: RowCaller, values: JsonObject) => {
  const [row] = await rows.createRows(call, who, name(), [values]);
  if (row === undefined) throw new Error('no row');
  return row;
};

const idsOf = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id).sort();

const creator = [{ type: 'creator' }];
const authenticated = [{ type: 'authenticated' }];
beforeEach(async () => {
  const { id: baseId } = await done(app, 'bases/createBase', { name: `Base ${Math.random()}` });
  const { id, fields } = await done(app, 'bases/createTable', {
    baseId,
    name: 'Notes',
    fields: [
      { name: 'title', type: 'text' },
      { name: 'team', type: 'text' },
      { name: 'salary', type: 'number' },
    ],
  });
  tableId = id;
  const [, , salary] = fields;
  await done(app, 'bases/setTableAccessRules', {
    tableId,
    accessRules: {
      read: { any: [...creator, { type: 'field_match', field: 'team', property: 'team' }] },
      create: authenticated,
      update: creator,
      delete: creator,
    },
  });
  const accessRules = { read: creator, write: [{ type: 'field_match', field: 'team', property: 'team' }] };
  await done(app, 'bases/updateField', { tableId, fieldId: salary.id, accessRules });
});

describe('a user of a site', () => {
  it('creates rows of their own, which a visitor cannot', async () => {
    const row = await create(ada, { title: 'Hers' });
    expect(row).toMatchObject({ title: 'Hers', createdBy: 'usr_ada' });
    expect(await code(create(nobody, { title: 'No' }))).toBe('row-not-allowed');
    expect(await rows.count(call, ada, name())).toBe(1);
  });

  it('sees the rows that the rules permit, singly and in lists, counts and reports', async () => {
    const hers = await create(ada, { title: 'Hers' });
    const his = await create(bob, { title: 'His' });
    const red = await create(bob, { title: 'Red', team: 'red' });
    const spec = { measures: [{ op: 'count' }] };
    for (const [who, seen] of [
      [ada, [hers, red]],
      [bob, [his, red]],
      [nobody, []],
    ] as const) {
      const { rows: listed, total } = await rows.getRows(call, who, name(), {});
      expect(idsOf(listed)).toEqual(idsOf(seen));
      expect(total).toBe(seen.length);
      expect(await rows.count(call, who, name())).toBe(seen.length);
      const groups = await rows.report(call, who, name(), spec);
      expect(groups[0]?.['count'] ?? 0).toBe(seen.length);
      for (const { id } of [hers, his, red]) {
        const isSeen = seen.some((row) => row.id === id);
        expect(await code(rows.getRow(call, who, name(), id))).toBe(isSeen ? 'done' : 'row-not-found');
      }
    }
  });

  it('changes and deletes rows within the rules, and hidden rows do not exist for them', async () => {
    const red = await create(bob, { title: 'Red', team: 'red' });
    const his = await create(bob, { title: 'His' });
    const change = (who: RowCaller, id: string) =>
      code(rows.updateRows(call, who, name(), [{ id, values: { title: 'x' } }]));
    expect([await change(ada, red.id), await change(ada, his.id)]).toEqual(['row-not-allowed', 'row-not-found']);
    expect(await code(rows.deleteRows(call, ada, name(), [red]))).toBe('row-not-allowed');
    expect(await code(rows.deleteRows(call, bob, name(), [red, his]))).toBe('done');
  });

  it('can neither see nor write a field that its rules hide, nor find its values out', async () => {
    const values = { title: 'Paid', team: 'red', salary: 100 };
    expect(await code(create(bob, values))).toBe('field-not-writable');
    const paid = await create(ada, values);
    expect(paid).toMatchObject({ salary: 100 });
    const other = as(person('usr_eve', { team: 'red' }));
    const { rows: seen, hiddenFields } = await rows.getRows(call, other, name(), {});
    expect([seen, hiddenFields]).toEqual([[expect.not.objectContaining({ salary: 100 })], ['salary']]);
    expect(await rows.count(call, other, name(), { salary: { gt: 50 } })).toBe(0);
    expect(await rows.count(call, ada, name(), { salary: { gt: 50 } })).toBe(1);
    const sort = [{ field: 'salary', dir: 'asc' }];
    expect(await code(rows.getRows(call, other, name(), { sort }))).toBe('field-not-readable');
    const spec = { measures: [{ op: 'max', field: 'salary' }] };
    expect(await code(rows.report(call, other, name(), spec))).toBe('field-not-readable');
  });
});
