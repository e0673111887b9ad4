// Engines: one process.
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { nobody, SiteFunctionsScene, siteUser } from '../../support/sites/site-functions.js';

let app: TestApp;
let site: SiteFunctionsScene;
let projectId: string;
let count = 0;
beforeAll(async () => {
  app = await sharedApp();
  await done(app, 'workspace/updateSettings', { versions: false });
});
afterAll(() => app?.close());
beforeEach(async () => {
  site = await SiteFunctionsScene.of(app, `Site ${count++}`);
  ({ projectId } = site);
});

const signedIn = { type: 'authenticated' };
const everybody = { type: 'public', scope: 'everywhere' };
const gold = { type: 'user_property', property: 'plan', operator: 'eq', value: 'gold' };
const policy = async (condition: unknown, name = 'Members'): Promise<string> =>
  (await done(app, 'site/createAccessPolicy', { projectId, name, condition })).id;
const change = (policyId: string, condition: unknown) => done(app, 'site/updateAccessPolicy', { policyId, condition });
const refusedChange = async (policyId: string, condition: unknown) => {
  const { status, body } = await app.call('site/updateAccessPolicy', { policyId, condition });
  return { status, code: body.code, detail: body.detail, resource: body.resource };
};
const rules = (execute: unknown) => ({ accessRules: { execute } });
const ruled = (execute: unknown, name = 'ruled', code = 'return 1') => site.create(name, code, rules(execute));

const visitors = [nobody, siteUser(), siteUser({ plan: 'gold' })];
const seenBy = (name = 'ruled') => Promise.all(visitors.map((visitor) => site.visit(name, { visitor })));
const no = 'execute-refused';

const baseOf = async () => (await done(app, 'site/getProject', { id: projectId })).linkedBaseId;
const table = async (read: unknown) => {
  const made = await done(app, 'bases/createTable', {
    baseId: await baseOf(),
    name: 'Notes',
    fields: [{ name: 'title', type: 'text' }],
  });
  await done(app, 'bases/createRow', { tableId: made.id, values: { title: 'One' } });
  return done(app, 'bases/setTableAccessRules', { tableId: made.id, accessRules: { read } });
};

describe('a policy in the rules of a function', () => {
  test.each<readonly [string, (id: string) => unknown, (inline: unknown) => unknown]>([
    ['alone', (id) => ({ policy: id }), (inline) => inline],
    ['in a list', (id) => [{ policy: id }, gold], (inline) => ({ any: [inline, gold] })],
    ['under not', (id) => ({ not: { policy: id } }), (inline) => ({ not: inline })],
    ['in a group', (id) => ({ all: [{ policy: id }, signedIn] }), (inline) => ({ all: [inline, signedIn] })],
  ])('%s admits the same visitors as its condition written there', async (_, byPolicy, written) => {
    const condition = { any: [gold, { not: signedIn }] };
    await ruled(byPolicy(await policy(condition)));
    await ruled(written(condition), 'written');
    expect(await seenBy()).toEqual(await seenBy('written'));
  });

  it('applies with its new condition from the next call on', async () => {
    const id = await policy(signedIn);
    await ruled([{ policy: id }]);
    expect(await seenBy()).toEqual([no, 1, 1]);
    await change(id, gold);
    expect(await seenBy()).toEqual([no, no, 1]);
    await change(id, everybody);
    expect(await seenBy()).toEqual([1, 1, 1]);
  });

  it('admits nobody once it is deleted, even under not and beside other rules', async () => {
    const id = await policy({ not: everybody });
    await ruled({ policy: id }, 'alone');
    await ruled({ not: { policy: id } }, 'not');
    await ruled([everybody, { policy: id }], 'beside');
    expect(await Promise.all(['alone', 'not', 'beside'].map((name) => site.visit(name)))).toEqual([no, 1, 1]);
    await done(app, 'site/deleteAccessPolicy', { policyId: id });
    expect(await Promise.all(['alone', 'not', 'beside'].map((name) => site.visit(name)))).toEqual([no, no, no]);
  });

  it('must belong to the same site: another is refused, naming the place', async () => {
    const id = await policy(signedIn);
    const other = await SiteFunctionsScene.of(app, `Other ${count++}`);
    const sent = { projectId: other.projectId, name: 'ruled', code: 'return 1', ...rules([everybody, { policy: id }]) };
    const { status, body } = await app.call('site/createBackendFunction', sent);
    expect([status, body.errors]).toEqual([
      400,
      [{ path: 'accessRules.execute[1].policy', message: expect.stringContaining('there is none') }],
    ]);
  });

  it('may not contain rules that functions do not accept, at any depth', async () => {
    const inner = await policy({ any: [signedIn, { type: 'creator' }] }, 'Inner');
    const outer = await policy({ not: { policy: inner } }, 'Outer');
    const sent = { projectId, name: 'ruled', code: 'return 1', ...rules({ policy: outer }) };
    const { status, body } = await app.call('site/createBackendFunction', sent);
    expect([status, body.errors[0].message]).toEqual([400, expect.stringContaining('a creator rule')]);
  });
});

describe('an edit of a policy that would break a rule with a reference to it', () => {
  it('is refused, naming the function and the problem, and changes nothing', async () => {
    const inner = await policy(signedIn, 'Inner');
    const outer = await policy({ policy: inner }, 'Outer');
    const fn = await ruled([{ policy: outer }]);
    const { status, code, detail, resource } = await refusedChange(inner, [signedIn, { type: 'creator' }]);
    expect([status, code]).toEqual([409, 'policy-breaks']);
    expect(resource).toEqual({ kind: 'function', id: fn.id, name: 'ruled', operation: 'execute' });
    expect(detail).toContain("function 'ruled'");
    expect(detail).toContain('a creator rule');
    expect(await seenBy()).toEqual([no, 1, 1]);
    await site.update(fn.id, rules(everybody));
    await change(inner, [signedIn, { type: 'creator' }]);
  });

  it('names a table, a field, a variable, and another policy', async () => {
    const id = await policy(signedIn);
    const gate = await site.create('gate', 'return true');
    const asks = { type: 'function', functionId: gate.id };
    const made = await table([{ policy: id }]);
    expect(await refusedChange(id, asks)).toMatchObject({
      status: 409,
      resource: { kind: 'table', id: made.id, name: 'Notes', operation: 'read' },
    });
    await done(app, 'bases/setTableAccessRules', { tableId: made.id, accessRules: {} });
    const [{ id: fieldId }] = made.fields;
    const ofField = (read: unknown) =>
      done(app, 'bases/updateField', { tableId: made.id, fieldId, accessRules: { read } });
    await ofField({ policy: id });
    expect(await refusedChange(id, asks)).toMatchObject({
      status: 409,
      resource: { kind: 'field', id: fieldId, name: 'Notes.title', operation: 'read' },
    });
    await ofField(null);
    const secret = await done(app, 'site/createEnvVar', { projectId, name: 'KEY', value: 'a value that is long' });
    await done(app, 'site/updateEnvVar', { id: secret.id, useRules: [{ policy: id }] });
    expect(await refusedChange(id, asks)).toMatchObject({
      status: 409,
      resource: { kind: 'environment variable', id: secret.id, name: 'KEY', operation: 'use' },
    });
    await done(app, 'site/updateEnvVar', { id: secret.id, useRules: null });
    await change(id, asks);
  });

  it('is refused if functions would ask one another in a cycle through it', async () => {
    const id = await policy(everybody);
    const first = await site.create('first', 'return true');
    const second = await site.create('second', 'return true', rules({ type: 'function', functionId: first.id }));
    await site.update(first.id, rules({ policy: id }));
    const { status, resource, detail } = await refusedChange(id, { type: 'function', functionId: second.id });
    expect([status, resource.kind]).toEqual([409, 'function']);
    expect(detail).toContain('form a cycle');
  });

  it('is permitted if the rule could not be judged before either', async () => {
    const [gone, id] = [await policy(signedIn, 'Gone'), await policy(signedIn)];
    await ruled({ all: [{ policy: gone }, { policy: id }] });
    await done(app, 'site/deleteAccessPolicy', { policyId: gone });
    await change(id, { type: 'creator' });
  });

  it('is refused for the open draft of a function as well', async () => {
    await done(app, 'workspace/updateSettings', { versions: true });
    try {
      const id = await policy(signedIn);
      const fn = await ruled(everybody);
      await site.update(fn.id, rules({ policy: id }));
      expect(await refusedChange(id, { type: 'creator' })).toMatchObject({
        status: 409,
        resource: { kind: 'function draft', id: fn.id },
      });
    } finally {
      await done(app, 'workspace/updateSettings', { versions: false });
    }
  });
});

describe('a policy in the rules of a table', () => {
  it('decides which rows ctx.tables shows a visitor, including row rules in it', async () => {
    const id = await policy(signedIn);
    await table([{ policy: id }]);
    await ruled(everybody, 'count', "return (await ctx.tables.getRows('Notes')).total");
    const counts = () => Promise.all(visitors.map((visitor) => site.visit('count', { visitor })));
    expect(await counts()).toEqual([0, 1, 1]);
    await change(id, gold);
    expect(await counts()).toEqual([0, 0, 1]);
    await change(id, { type: 'creator' });
    expect(await counts()).toEqual([0, 0, 0]);
    await change(id, everybody);
    expect(await counts()).toEqual([1, 1, 1]);
    await done(app, 'site/deleteAccessPolicy', { policyId: id });
    expect(await counts()).toEqual([0, 0, 0]);
  });

  it('decides what a data function shows', async () => {
    const id = await policy(gold);
    await table([{ policy: id }]);
    const definition = { kind: 'count', table: 'Notes' };
    await done(app, 'site/createDataFunction', { projectId, name: 'notes', definition, ...rules(everybody) });
    expect(await seenBy('notes')).toEqual([{ count: 0 }, { count: 0 }, { count: 1 }]);
  });
});
