import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { TestApp } from '../../support/app.js';
import { runs } from '../../support/depth.js';
import { done, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { SiteFunctionsScene } from '../../support/sites/site-functions.js';
import { type SiteVisitors, siteVisitors } from '../../support/sites/site-visitors.js';

let app: TestApp;
let visitors: SiteVisitors;
let site: SiteFunctionsScene;
let ada: { readonly id: string; readonly pass: string };
beforeAll(async () => {
  app = await sharedApp();
  await done(app, 'workspace/updateSettings', { versions: false });
});
afterAll(() => app?.close());
beforeEach(async () => {
  visitors = await siteVisitors(app, { authCustomFields: [{ name: 'plan', type: 'text' }] });
  site = new SiteFunctionsScene(app, visitors.projectId);
  ada = await logIn('ada@example.com', { customFields: { plan: 'basic' } });
});

const everybody = { type: 'public', scope: 'everywhere' };
const signedIn = { type: 'authenticated' };
const leaves = fc.constantFrom<object>(
  signedIn,
  everybody,
  { type: 'creator' },
  { type: 'relationship', path: 'owner' },
  { type: 'field_match', field: 'title', property: 'plan' },
  { type: 'user_property', property: 'plan', operator: 'eq', value: 'gold' },
);
const { rowConditions } = fc.letrec<{ rowConditions: object }>((tie) => ({
  rowConditions: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaves,
    fc.array(tie('rowConditions'), { minLength: 1, maxLength: 3 }).map((all) => ({ all })),
    fc.array(tie('rowConditions'), { minLength: 1, maxLength: 3 }).map((any) => ({ any })),
    tie('rowConditions').map((not) => ({ not })),
  ),
}));
const plan = (value: string) => ({ type: 'user_property', property: 'plan', operator: 'eq', value });
const explain = (id: string, key?: string) => done(app, 'workspace/explainDecision', { id }, key);
const logIn = async (email: string, more: object = {}) => {
  const { id } = await visitors.user(email, more);
  return { id, pass: await visitors.logIn(email) };
};
const denied = async (path: string, body: object = {}, pass?: string): Promise<string> => {
  const reply = await visitors.post(path, body, pass);
  expect([reply.status, typeof reply.body.decisionId]).toEqual([403, 'string']);
  expect(reply.body.decisionId).toMatch(/^dec_/);
  return reply.body.decisionId;
};
const ruled = (execute: unknown) => site.create('ruled', 'return 1', { accessRules: { execute } });
const steps = ({ smallestChange }: { smallestChange: readonly { sentence: string }[] }) =>
  smallestChange.map(({ sentence }) => sentence);

describe('a function of the site', () => {
  it('shows the rule tree with each verdict, policies included, and the smallest change', async () => {
    const { projectId } = visitors;
    const policy = await done(app, 'site/createAccessPolicy', { projectId, name: 'Gold', condition: plan('gold') });
    const fn = await ruled({ all: [signedIn, { any: [{ policy: policy.id }, { not: everybody }] }] });
    const id = await denied('functions/ruled', {}, ada.pass);
    const told = await explain(id);
    expect(told).toMatchObject({
      code: 'execute-refused',
      who: { kind: 'user', id: ada.id, name: 'ada@example.com' },
      operation: null,
      place: { kind: 'function', id: fn.id, name: 'ruled', operation: 'execute', projectId },
      allowed: false,
      sentence: 'The condition denied access.',
      changedSince: false,
      allowedNow: false,
      note: null,
    });
    const now = await done(app, 'site/explainAccess', { resource: { kind: 'function', id: fn.id }, appUserId: ada.id });
    expect(told.tree).toEqual(now.tree);
    expect(told.smallestChange).toEqual(now.smallestChange);
    expect(steps(told)).toEqual(['The person\'s property "plan" is "gold".']);
  });

  it('covers visitors who have not signed in, and functions without rules', async () => {
    await ruled(signedIn);
    expect(await explain(await denied('functions/ruled'))).toMatchObject({
      who: { kind: 'visitor', id: null, name: null },
      tree: { kind: 'rule', outcome: 'denied' },
    });
    await site.create('closed', 'return 1');
    for (const pass of [undefined, ada.pass]) {
      expect(await explain(await denied('functions/closed', {}, pass))).toMatchObject({
        sentence: 'There were no rules, so only members with edit rights had access.',
        tree: null,
        smallestChange: null,
        changedSince: false,
      });
    }
  });

  it('refers to roles by their names', async () => {
    const { projectId } = visitors;
    const role = await done(app, 'site/createProjectRole', { projectId, name: 'Publisher' });
    await ruled({ type: 'has_role', roleId: role.id });
    const told = await explain(await denied('functions/ruled', {}, ada.pass));
    for (const { sentence } of [told.tree, ...told.smallestChange]) {
      expect(sentence).toContain('Publisher');
      expect(sentence).not.toContain(role.id);
    }
    expect(told.tree.rule).toEqual({ type: 'has_role', roleId: role.id });
  });

  it('includes the answers of the functions that the rule called', async () => {
    const gate = await site.createGate('gate', 'return false');
    await ruled({ any: [{ type: 'function', functionId: gate.id }, plan('gold')] });
    const { tree } = await explain(await denied('functions/ruled', {}, ada.pass));
    expect(tree.parts.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['denied', 'denied']);
  });

  it('shows the rule at the time of the refusal, and that it has changed since', async () => {
    const { projectId } = visitors;
    const policy = await done(app, 'site/createAccessPolicy', { projectId, name: 'Gold', condition: plan('gold') });
    const fn = await ruled({ policy: policy.id });
    const id = await denied('functions/ruled', {}, ada.pass);
    const before = await explain(id);
    await done(app, 'site/updateAccessPolicy', { policyId: policy.id, condition: signedIn });
    expect(await explain(id)).toMatchObject({
      tree: before.tree,
      smallestChange: before.smallestChange,
      changedSince: true,
      allowedNow: true,
    });
    await site.update(fn.id, { accessRules: { execute: everybody } });
    expect(await explain(id)).toMatchObject({ tree: before.tree, changedSince: true, allowedNow: true });
    await done(app, 'site/deleteBackendFunction', { projectId, functionId: fn.id });
    expect(await explain(id)).toMatchObject({ tree: before.tree, changedSince: true, allowedNow: null });
  });

  it('of the workspace is explained as well', async () => {
    const { projectId } = visitors;
    const fn = await done(app, 'automations/createFunction', {
      name: `shared ${projectId}`,
      code: 'return 1',
      grants: { bases: [{ projectId, access: 'read' }] },
      accessRules: { execute: { all: [signedIn, plan('gold')] }, runBy: { pages: true, functions: [], agents: [] } },
    });
    await done(app, 'automations/updateFunction', { id: fn.id, isActive: true });
    const told = await explain(await denied(`account-functions/${fn.id}`, {}, ada.pass));
    expect(told).toMatchObject({ place: { kind: 'account-function', id: fn.id, projectId }, changedSince: false });
    expect(told.tree.parts.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['allowed', 'denied']);
  });
});

it("the refusal of a visitor's mail is explained by the rule of the site", async () => {
  const { projectId } = visitors;
  const mail = { to: 'eve@example.org', subject: 'Hello', text: 'Hello' };
  expect(await explain(await denied('email/send', mail, ada.pass))).toMatchObject({ tree: null });
  await done(app, 'site/setEmailAccessRules', { projectId, accessRules: { send: { all: [signedIn, plan('gold')] } } });
  const told = await explain(await denied('email/send', mail, ada.pass));
  expect(told).toMatchObject({ place: { kind: 'email', id: projectId, operation: 'send' }, changedSince: false });
  expect(steps(told)).toEqual(['The person\'s property "plan" is "gold".']);
});

describe('an erased user', () => {
  it('is named by their id alone', async () => {
    const { projectId } = visitors;
    await ruled(plan('gold'));
    const id = await denied('functions/ruled', {}, ada.pass);
    await done(app, 'site/deleteAppUser', { projectId, userId: ada.id });
    const told = await explain(id);
    expect(told).toMatchObject({ who: { kind: 'user', id: ada.id, name: null }, allowedNow: null });
    expect(JSON.stringify(told)).not.toMatch(/ada@|basic/);
  });
});

describe('a caller who may not change the rules', () => {
  it('gets the same answer as for an unknown id', async () => {
    await ruled(plan('gold'));
    const id = await denied('functions/ruled', {}, ada.pass);
    const viewer = await person(app, 'viewer');
    const { ownerKey } = await otherWorkspace(app);
    const heard = async (sent: string, key: string) => {
      const { status, body } = await app.call('workspace/explainDecision', { id: sent }, key);
      const { requestId: _, ...rest } = body;
      return [status, rest];
    };
    for (const key of [viewer.key, ownerKey]) expect(await heard(id, key)).toEqual(await heard('dec_none', key));
    const editor = await person(app, 'editor');
    expect(await explain(id, editor.key)).toMatchObject({ code: 'execute-refused' });
  });

  it('cannot read anything from the id, and ids of visitors and users have equal length', async () => {
    await ruled(plan('gold'));
    const [one, other] = [await denied('functions/ruled'), await denied('functions/ruled', {}, ada.pass)];
    expect(one).toHaveLength(other.length);
    const bytes = Buffer.from(other.slice(4), 'base64url').toString('latin1');
    for (const text of [ada.id, 'gold', 'basic', 'ada', 'plan', visitors.projectId]) expect(bytes).not.toContain(text);
  });
});

describe('rows', () => {
  let tableId: string;
  let fields: Record<string, string>;
  beforeEach(async () => {
    const { projectId } = visitors;
    const { linkedBase } = await done(app, 'site/getProject', { id: projectId });
    const table = await done(app, 'bases/createTable', {
      baseId: linkedBase.id,
      name: 'Notes',
      fields: [
        { name: 'title', type: 'text' },
        { name: 'secret', type: 'number' },
        { name: 'owner', type: 'user' },
      ],
    });
    tableId = table.id;
    fields = Object.fromEntries(table.fields.map(({ name, id }: { name: string; id: string }) => [name, id]));
    await site.create(
      'rows',
      `return ctx.tables[params.member]('Notes', ...params.args).then(() => null, ({ code, decisionId }) => [code, decisionId]);`,
      { accessRules: { execute: everybody } },
    );
  });
  const ask = async (member: string, args: readonly unknown[], pass = ada.pass): Promise<readonly [string, string]> => {
    const { status, body } = await visitors.post('functions/rows', { member, args }, pass);
    expect([status, body.detail]).toEqual([200, undefined]);
    return body.data;
  };
  const setRules = (accessRules: object) => done(app, 'bases/setTableAccessRules', { tableId, accessRules });
  const add = async (values: object): Promise<string> => (await done(app, 'bases/createRow', { tableId, values })).id;

  it('are explained rule by rule, with the results for the row', async () => {
    await setRules({
      read: everybody,
      update: { any: [{ type: 'creator' }, { all: [plan('basic'), { type: 'relationship', path: 'owner' }] }] },
    });
    const rowId = await add({ title: 'one' });
    const [code, id] = await ask('updateRow', [rowId, { title: 'two' }]);
    expect(code).toBe('row-not-allowed');
    const told = await explain(id);
    expect(told).toMatchObject({
      code: 'row-not-allowed',
      place: { kind: 'table', id: tableId, name: 'Notes', operation: 'update', rowId },
      who: { kind: 'user', id: ada.id },
      changedSince: false,
      allowedNow: false,
    });
    expect(told.tree).toMatchObject({
      outcome: 'denied',
      parts: [{ outcome: 'denied' }, { outcome: 'denied', parts: [{ outcome: 'allowed' }, { outcome: 'denied' }] }],
    });
    expect(told.smallestChange).toHaveLength(1);
    await done(app, 'bases/updateRow', { tableId, id: rowId, values: { owner: ada.id } });
    expect(await explain(id)).toMatchObject({ tree: told.tree, changedSince: false, allowedNow: true });
  });

  it('that are created, and fields that are written or queried, are explained by their own rules', async () => {
    await setRules({ read: everybody, create: plan('gold'), update: everybody });
    const [, create] = await ask('createRow', [{ title: 'mine' }]);
    expect(await explain(create)).toMatchObject({
      place: { kind: 'table', operation: 'create' },
      tree: { outcome: 'denied' },
    });

    await done(app, 'bases/updateField', {
      tableId,
      fieldId: fields['secret'],
      accessRules: { read: [], write: plan('gold') },
    });
    const rowId = await add({ title: 'one' });
    const [written, write] = await ask('updateRow', [rowId, { secret: 7 }]);
    const [asked, read] = await ask('getRows', [{ sort: [{ field: 'secret', dir: 'asc' }] }]);
    expect([written, asked]).toEqual(['field-not-writable', 'field-not-readable']);
    expect(await explain(write)).toMatchObject({
      place: { kind: 'field', id: fields['secret'], name: 'Notes.secret', operation: 'write', tableId, rowId },
      tree: { kind: 'rule', outcome: 'denied' },
    });
    expect(await explain(read)).toMatchObject({ place: { kind: 'field', operation: 'read' }, tree: null });
  });

  it('property: for any rule and row, the explanation equals that of explainAccess at the time', async () => {
    const { projectId } = visitors;
    const eve = await logIn('eve@example.com', { customFields: { plan: 'gold' } });
    const rowIds = [await add({ title: 'basic', owner: eve.id }), await add({ title: 'gold', owner: ada.id })];
    const seen = { allowed: 0, denied: 0 };
    for (const condition of fc.sample(rowConditions, { numRuns: runs(200), seed: 17 })) {
      await setRules({ read: everybody, update: condition });
      for (const [index, rowId] of rowIds.entries()) {
        const refused = await ask('updateRow', [rowId, { title: index === 0 ? 'basic' : 'gold' }]);
        const now = await done(app, 'site/explainAccess', {
          resource: { kind: 'row', id: rowId, operation: 'update' },
          appUserId: ada.id,
          projectId,
        });
        seen[refused === null ? 'allowed' : 'denied'] += 1;
        expect([condition, now.allowed]).toEqual([condition, refused === null]);
        if (refused === null) continue;
        const told = await explain(refused[1]);
        expect(told).toMatchObject({ changedSince: false, allowedNow: false, note: null });
        expect([condition, told.tree]).toEqual([condition, now.tree]);
        expect(told.smallestChange).toEqual(now.smallestChange);
      }
    }
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(4);
  }, 60_000);

  it('that are hidden have no id, as if they did not exist', async () => {
    await setRules({ update: everybody });
    const rowId = await add({ title: 'one' });
    const { body } = await visitors.post(
      'functions/rows',
      { member: 'updateRow', args: [rowId, { title: 'x' }] },
      ada.pass,
    );
    expect(body.data).toEqual(['row-not-found', null]);
  });
});

describe('a refusal that code gets', () => {
  const caught = '({ code, decisionId }) => [code, decisionId]';

  it('for lack of a power or a grant is explained to those who may change the function', async () => {
    const fn = await site.create('weak', `return ctx.service.tables.getRows('Notes').catch(${caught});`);
    const [power, id] = await site.result('weak');
    expect(power).toBe('power-missing');
    expect(await explain(id)).toMatchObject({
      code: 'power-missing',
      who: { kind: 'function', id: fn.id, name: 'weak' },
      operation: 'ctx.service.tables.getRows',
      tree: { kind: 'check', outcome: 'denied', sentence: expect.stringContaining("needs the power 'service'") },
      changedSince: false,
    });
    await site.update(fn.id, { description: 'Another' });
    expect(await explain(id)).toMatchObject({ changedSince: true });
    const viewer = await person(app, 'viewer');
    const { status, body } = await app.call('workspace/explainDecision', { id }, viewer.key);
    expect([status, body.code]).toEqual([404, 'decision-not-found']);
  });
});

describe("visitors whom a function's own lists deny", () => {
  it('are explained by the function', async () => {
    const { projectId } = visitors;
    const fn = await site.create('paged', 'return 1', {
      accessRules: { execute: everybody, runBy: { pages: ['page_1'] } },
    });
    const told = await explain(await denied('functions/paged', {}, ada.pass));
    expect(told).toMatchObject({
      code: 'run-not-allowed',
      who: { kind: 'user', id: ada.id },
      operation: 'functions/paged',
      place: { kind: 'function', id: fn.id, name: 'paged', projectId },
      changedSince: false,
    });
    const other = await done(app, 'automations/createFunction', {
      name: `unshared ${projectId}`,
      code: 'return 1',
      accessRules: { execute: { type: 'authenticated' }, runBy: { pages: true, functions: [], agents: [] } },
    });
    await done(app, 'automations/updateFunction', { id: other.id, isActive: true });
    expect(await explain(await denied(`account-functions/${other.id}`, {}, ada.pass))).toMatchObject({
      code: 'site-not-served',
      place: { kind: 'function', id: other.id },
    });
  });
});

it('a data function’s refused row has an id', async () => {
  const { projectId } = visitors;
  const { linkedBase } = await done(app, 'site/getProject', { id: projectId });
  const fields = [{ name: 'title', type: 'text' }];
  const table = await done(app, 'bases/createTable', { baseId: linkedBase.id, name: 'Orders', fields });
  await done(app, 'bases/setTableAccessRules', {
    tableId: table.id,
    accessRules: { read: everybody, create: plan('gold') },
  });
  await done(app, 'site/createDataFunction', {
    projectId,
    name: 'order',
    definition: { kind: 'create', table: 'Orders', values: { title: 'one' } },
    accessRules: { execute: everybody },
  });
  const told = await explain(await denied('functions/order', {}, ada.pass));
  expect(told).toMatchObject({ code: 'row-not-allowed', place: { kind: 'table', id: table.id, operation: 'create' } });
});
