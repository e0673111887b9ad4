import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { done, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { SiteFunctionsScene } from '../../support/sites/site-functions.js';

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
const named = (value: string) => ({ type: 'user_property', property: 'name', operator: 'eq', value });
const user = (name = 'Ada') =>
  done(app, 'site/createAppUser', { projectId, email: `${name}@example.com`, password: 'a long password', name });
const policy = async (condition: unknown, name = 'Members'): Promise<string> =>
  (await done(app, 'site/createAccessPolicy', { projectId, name, condition })).id;
const ruled = (execute: unknown) => site.create('ruled', 'return 1', { accessRules: { execute } });
const explain = (resource: object, appUserId?: string, more: object = {}) =>
  done(app, 'site/explainAccess', { resource, ...(appUserId === undefined ? {} : { appUserId }), ...more });
const refused = async (body: object, key?: string) => {
  const { status, body: answer } = await app.call('site/explainAccess', body, key);
  return [status, answer.code];
};

describe('explainAccess', () => {
  it('refers to roles by their names', async () => {
    const role = await done(app, 'site/createProjectRole', { projectId, name: 'Staff' });
    const fn = await ruled({ type: 'has_role', roleId: role.id });
    const { tree, smallestChange } = await explain({ kind: 'function', id: fn.id }, (await user()).id);
    expect(tree.sentence).toBe('It is not true that the person has the role "Staff".');
    expect(tree.rule).toEqual({ type: 'has_role', roleId: role.id });
    expect(smallestChange[0].sentence).toBe('The person has the role "Staff".');
  });

  it('shows every part with its result, policies by name, and the smallest change', async () => {
    const policyId = await policy({ all: [signedIn, named('Eve')] });
    const fn = await ruled({ any: [{ policy: policyId }, { not: everybody }] });
    const { id } = await user();
    expect(await explain({ kind: 'function', id: fn.id }, id)).toEqual({
      projectId,
      resource: { kind: 'function', id: fn.id, name: 'ruled', operation: 'execute' },
      user: { id, email: 'ada@example.com', isBanned: false },
      allowed: false,
      outcome: 'denied',
      sentence: 'The condition denies access.',
      tree: {
        kind: 'any',
        path: '',
        outcome: 'denied',
        sentence: 'One of 2 must grant access: 0 do, so this denies access.',
        parts: [
          {
            kind: 'policy',
            path: 'any[0]',
            outcome: 'denied',
            sentence: "The policy 'Members' denies access.",
            policy: { id: policyId, name: 'Members' },
            parts: [
              {
                kind: 'all',
                path: 'any[0].policy',
                outcome: 'denied',
                sentence: 'All of 2 must grant access: 1 do, so this denies access.',
                parts: [
                  {
                    kind: 'rule',
                    path: 'any[0].policy.all[0]',
                    outcome: 'allowed',
                    sentence: 'A user is signed in.',
                    rule: signedIn,
                  },
                  {
                    kind: 'rule',
                    path: 'any[0].policy.all[1]',
                    outcome: 'denied',
                    sentence: `It is not true that the person's property "name" is "Eve".`,
                    rule: named('Eve'),
                  },
                ],
              },
            ],
          },
          {
            kind: 'not',
            path: 'any[1]',
            outcome: 'denied',
            sentence: 'The negation of a condition denies access.',
            parts: [
              {
                kind: 'rule',
                path: 'any[1].not',
                outcome: 'allowed',
                sentence: 'Everyone has access.',
                rule: everybody,
              },
            ],
          },
        ],
      },
      smallestChange: [
        {
          path: 'any[0].policy.all[1]',
          rule: named('Eve'),
          from: 'denied',
          to: 'allowed',
          sentence: `The person's property "name" is "Eve".`,
        },
      ],
    });
  });

  it('of a visitor, without appUserId, means an anonymous one; a banned user is treated the same', async () => {
    const fn = await ruled(signedIn);
    const visitor = await explain({ kind: 'function', id: fn.id });
    expect(visitor).toMatchObject({ user: null, allowed: false });
    const { id } = await user();
    expect(await explain({ kind: 'function', id: fn.id }, id)).toMatchObject({ allowed: true, outcome: 'allowed' });
    await done(app, 'site/updateAppUser', { projectId, userId: id, isBanned: true });
    expect(await explain({ kind: 'function', id: fn.id }, id)).toMatchObject({
      user: { isBanned: true },
      allowed: false,
    });
  });

  it('calls no function: what depends on one is open', async () => {
    const gate = await site.create('gate', 'return true');
    const fn = await ruled({ type: 'function', functionId: gate.id });
    expect(await explain({ kind: 'function', id: fn.id })).toMatchObject({
      allowed: false,
      outcome: 'open',
      smallestChange: [{ from: 'open', to: 'allowed' }],
    });
    expect(await site.runs()).toEqual([]);
  });

  it('reports that there are no rules, and why a condition cannot be judged', async () => {
    const policyId = await policy(signedIn);
    const bare = await site.create('bare', 'return 1');
    const fn = await ruled([everybody, { policy: policyId }]);
    await done(app, 'site/deleteAccessPolicy', { policyId });
    expect(await explain({ kind: 'function', id: bare.id })).toMatchObject({
      outcome: 'denied',
      sentence: expect.stringContaining('There are no rules'),
      tree: null,
    });
    expect(await explain({ kind: 'function', id: fn.id })).toMatchObject({
      outcome: 'fault',
      sentence: expect.stringContaining('there is none with this id'),
      tree: null,
      smallestChange: null,
    });
  });

  it('of a page without saved rules uses its flags', async () => {
    const page = await done(app, 'site/createPage', { projectId, name: 'P', path: '/p', isProtected: true });
    expect(await explain({ kind: 'page', id: page.id })).toMatchObject({
      allowed: false,
      sentence: 'No rules are saved; according to its flags, the condition denies access.',
    });
    await done(app, 'site/setPageAccessRules', { pageId: page.id, accessRules: { read: everybody } });
    expect(await explain({ kind: 'page', id: page.id })).toMatchObject({
      allowed: true,
      smallestChange: [{ path: '', to: 'denied' }],
    });
  });

  describe('of tables', () => {
    const table = async () => {
      const { linkedBaseId: baseId } = await done(app, 'site/getProject', { id: projectId });
      const fields = [
        { name: 'owner', type: 'user' },
        { name: 'team', type: 'text' },
        { name: 'contact', type: 'email' },
      ];
      const made = await done(app, 'bases/createTable', { baseId, name: 'Notes', fields });
      const read = {
        any: [
          { type: 'relationship', path: 'owner' },
          { type: 'field_match', field: 'team', property: 'name' },
          { type: 'email', field: 'contact' },
        ],
      };
      await done(app, 'bases/setTableAccessRules', { tableId: made.id, accessRules: { read, update: everybody } });
      return made.id;
    };

    it('reports what depends on the row, and for a given row the result', async () => {
      const tableId = await table();
      const { id } = await user();
      expect(await explain({ kind: 'table', id: tableId }, id)).toMatchObject({ outcome: 'open' });
      expect(await explain({ kind: 'table', id: tableId })).toMatchObject({ outcome: 'denied' });
      expect(await explain({ kind: 'table', id: tableId, operation: 'update' })).toMatchObject({ outcome: 'allowed' });
      const outcomes = async (values: object) => {
        const row = await done(app, 'bases/createRow', { tableId, values });
        const { resource, allowed, tree } = await explain({ kind: 'row', id: row.id }, id);
        expect(resource).toEqual({ kind: 'row', id: row.id, name: 'Notes', operation: 'read' });
        return [allowed, ...tree.parts.map(({ outcome }: { readonly outcome: string }) => outcome)];
      };
      expect(await outcomes({ owner: id })).toEqual([true, 'allowed', 'denied', 'denied']);
      expect(await outcomes({ team: 'Ada' })).toEqual([true, 'denied', 'allowed', 'denied']);
      expect(await outcomes({ contact: 'ADA@example.com' })).toEqual([true, 'denied', 'denied', 'allowed']);
      expect(await outcomes({ team: 'Eve' })).toEqual([false, 'denied', 'denied', 'denied']);
    });

    it('reports which rule cannot be judged after its field was removed', async () => {
      const tableId = await table();
      const { id } = await user();
      const { fields } = await done(app, 'bases/getTable', { id: tableId });
      await done(app, 'bases/removeField', { tableId, fieldId: fields[1].id });
      const row = await done(app, 'bases/createRow', { tableId, values: { owner: id } });
      expect(await explain({ kind: 'row', id: row.id }, id)).toMatchObject({
        allowed: false,
        outcome: 'fault',
        tree: { parts: [{ outcome: 'allowed' }, { outcome: 'fault' }, { outcome: 'denied' }] },
        smallestChange: [{ path: 'any[1]', from: 'fault' }],
      });
    });
  });

  test.each([
    ['a function that there is not', { kind: 'function', id: 'fn_none' }],
    ['a row that there is not', { kind: 'row', id: 'row_none' }],
    ['a channel without a project', { kind: 'channel', id: 'news' }],
  ])('does not find %s', async (_, resource) => {
    expect(await refused({ resource })).toEqual([404, 'explained-resource-not-found']);
  });

  it('finds nothing of another workspace, and no user of another site', async () => {
    const fn = await ruled(signedIn);
    const resource = { kind: 'function', id: fn.id };
    const { ownerKey } = await otherWorkspace(app);
    expect((await refused({ resource }, ownerKey))[0]).toBe(404);
    expect((await refused({ resource: { kind: 'email', id: projectId } }, ownerKey))[0]).toBe(404);
    expect(await refused({ resource, appUserId: 'usr_none' })).toEqual([404, 'app-user-not-found']);
    const { id: other } = await done(app, 'site/createProject', { name: 'Other' });
    const sent = { projectId: other, email: 'eve@example.com', password: 'a long password', name: 'Eve' };
    const { id } = await done(app, 'site/createAppUser', sent);
    expect(await refused({ resource, appUserId: id })).toEqual([404, 'app-user-not-found']);
    expect(await refused({ resource, appUserId: id, projectId })).toEqual([404, 'app-user-not-found']);
  });

  it('requires the right to see personal data, which Viewers lack', async () => {
    const fn = await ruled(signedIn);
    const resource = { kind: 'function', id: fn.id };
    expect((await refused({ resource }, (await person(app, 'viewer')).key))[0]).toBe(403);
    expect((await refused({ resource }, (await person(app, 'editor')).key))[0]).toBe(200);
  });

  it('shows the upper parts of a long condition, and the number of omitted parts', async () => {
    const parts = Array.from({ length: 900 }, (_, n) => named(`n${n}`));
    const fn = await ruled({ any: parts });
    const { tree } = await explain({ kind: 'function', id: fn.id });
    expect([tree.parts.length, tree.leftOut]).toEqual([499, 401]);
  });
});
