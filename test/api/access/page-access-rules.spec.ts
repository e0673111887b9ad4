import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { done, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let projectId: string;
let pageId: string;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app?.close());
beforeEach(async () => {
  projectId = (await done(app, 'site/createProject', { name: 'Ruled' })).id;
  pageId = (await done(app, 'site/createPage', { projectId, name: 'Prices', path: '/prices' })).id;
});

const signedIn = { type: 'authenticated' };
const everybody = { type: 'public', scope: 'everywhere' };
const inRole = (roleId: string) => ({ type: 'has_role', roleId });
const set = (accessRules: object, key?: string) => done(app, 'site/setPageAccessRules', { pageId, accessRules }, key);
const refused = async (accessRules: unknown, key?: string) => {
  const { status, body } = await app.call('site/setPageAccessRules', { pageId, accessRules }, key);
  return [status, body.code, body.detail];
};
const saved = async () => (await done(app, 'site/getPageAccessRules', { pageId })).accessRules;
const flags = async () => {
  const { isProtected, requiredRole } = await done(app, 'site/getPage', { id: pageId });
  return { isProtected, requiredRole };
};
const role = async () => (await done(app, 'site/createProjectRole', { projectId, name: 'Staff' })).id;
const gate = async () =>
  (await done(app, 'site/createBackendFunction', { projectId, name: 'gate', code: 'return true' })).id;
const signInOn = () => done(app, 'site/updateProjectAuth', { id: projectId, authEnabled: true });

describe('getPageAccessRules', () => {
  it('answers null if nothing is saved (Q-S63)', async () => {
    expect(await done(app, 'site/getPageAccessRules', { pageId })).toEqual({ accessRules: null });
  });

  it('answers what was saved (AC-14)', async () => {
    await signInOn();
    expect(await set({ read: { any: [signedIn, { not: everybody }] } })).toEqual({ success: true });
    expect(await saved()).toEqual({ read: { any: [signedIn, { not: everybody }] } });
    await set({});
    expect(await saved()).toEqual({});
  });
});

describe('setPageAccessRules', () => {
  it('warns while sign-in is off that the rules are not applied yet (AC-33)', async () => {
    const { success, signInNote } = await set({ read: signedIn });
    expect(success).toBe(true);
    expect(signInNote).toContain('sign-in of the site is off');
    expect(await saved()).toEqual({ read: signedIn });
    await signInOn();
    expect(await set({ read: signedIn })).toEqual({ success: true });
  });

  it.each([
    ['everybody', { read: everybody }, { isProtected: false, requiredRole: null }],
    ['signed-in users', { read: signedIn }, { isProtected: true, requiredRole: null }],
    ['nobody', { read: [] }, { isProtected: true, requiredRole: null }],
    ['nothing', {}, { isProtected: true, requiredRole: null }],
  ])('updates isProtected and requiredRole to match: %s', async (_, accessRules, expected) => {
    await set({ read: inRole(await role()) });
    await set(accessRules);
    expect(await flags()).toEqual(expected);
  });

  it('sets requiredRole to the one role that it requires', async () => {
    const roleId = await role();
    await set({ read: [inRole(roleId)] });
    expect(await flags()).toEqual({ isProtected: true, requiredRole: roleId });
  });

  it('is kept in step by updatePage: a change of the flags changes the saved rules', async () => {
    await done(app, 'site/updatePage', { id: pageId, isProtected: true });
    expect(await saved()).toBeNull();
    const roleId = await role();
    await set({ read: { all: [signedIn, { not: inRole(roleId) }] } });
    await done(app, 'site/updatePage', { id: pageId, isProtected: true, title: 'Prices' });
    expect(await saved()).toEqual({ read: { all: [signedIn, { not: inRole(roleId) }] } });
    await done(app, 'site/updatePage', { id: pageId, isProtected: false });
    expect(await saved()).toEqual({ read: everybody });
    await done(app, 'site/updatePage', { id: pageId, isProtected: true });
    expect(await saved()).toEqual({ read: signedIn });
  });

  it('refuses function rules, also in groups and behind policies (XE-15, AC-19)', async () => {
    const rule = { type: 'function', functionId: await gate() };
    const { id: policy } = await done(app, 'site/createAccessPolicy', { projectId, name: 'Asked', condition: [rule] });
    for (const read of [rule, [signedIn, rule], { any: [{ not: rule }] }, { policy }, { all: [{ policy }] }]) {
      const [status, code, detail] = await refused({ read });
      expect([status, code]).toEqual([400, 'condition-invalid']);
      expect(detail).toContain('is a function rule, which a page does not accept');
    }
    expect(await saved()).toBeNull();
  });

  it.each([{ type: 'creator' }, { type: 'relationship', path: 'owner' }, { type: 'email', field: 'mail' }])(
    'refuses the row rule %j',
    async (rule) =>
      expect((await refused({ read: { any: [signedIn, rule] } })).slice(0, 2)).toEqual([400, 'condition-invalid']),
  );

  it.each([undefined, null, [], 'all', { read: null }, { read: 'all' }, { execute: signedIn }, { read: { all: [] } }])(
    'refuses the access rules %j',
    async (accessRules) => {
      expect((await refused(accessRules))[0]).toBe(400);
      expect(await saved()).toBeNull();
    },
  );

  it('refuses an edit of a policy that would break the page, naming it (Q-S58)', async () => {
    const { id: policyId } = await done(app, 'site/createAccessPolicy', {
      projectId,
      name: 'Read',
      condition: signedIn,
    });
    await set({ read: { policy: policyId } });
    const condition = { type: 'function', functionId: await gate() };
    const { status, body } = await app.call('site/updateAccessPolicy', { policyId, condition });
    expect([status, body.code]).toEqual([409, 'policy-breaks']);
    expect(body.detail).toContain("page 'Prices'");
  });

  it('requires edit rights in this workspace', async () => {
    const viewer = await person(app, 'viewer');
    expect((await refused({ read: signedIn }, viewer.key))[0]).toBe(403);
    expect(await done(app, 'site/getPageAccessRules', { pageId }, viewer.key)).toEqual({ accessRules: null });
    const { ownerKey } = await otherWorkspace(app);
    expect((await refused({ read: signedIn }, ownerKey)).slice(0, 2)).toEqual([404, 'site-page-not-found']);
  });

  it('is undone with its snapshot, including the flags', async () => {
    const snapshots = async () => (await done(app, 'site/listSnapshots', { projectId })).snapshots;
    const [before] = await snapshots();
    await set({ read: signedIn });
    await done(app, 'site/restoreSnapshot', { projectId, snapshotId: before.id });
    expect(await saved()).toBeNull();
    expect(await flags()).toEqual({ isProtected: false, requiredRole: null });
  });
});
