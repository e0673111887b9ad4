import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { done, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());

describe('getAccessOverview', () => {
  it('shows in one answer what decides about access to a project', async () => {
    const { id: projectId } = await done(app, 'site/createProject', { name: 'Shop' });
    const overview = {
      isApp: false,
      aiPermissions: {},
      pageCount: 1,
      protectedPageCount: 0,
      envVarCount: 0,
      secretCount: 0,
      policyCount: 0,
      authEnabled: expect.any(Boolean),
      resources: expect.any(Array),
    };
    expect(await done(app, 'site/getAccessOverview', { projectId })).toEqual({ projectId, ...overview });
    await done(app, 'site/createPage', { projectId, name: 'Members', path: '/members', isProtected: true });
    await done(app, 'site/createEnvVar', { projectId, name: 'KEY', value: 'hush' });
    await done(app, 'site/createEnvVar', { projectId, name: 'COLOR', value: 'blue', isSecret: false });
    await done(app, 'site/updateAiPermissions', { projectId, aiPermissions: { 'pages:*': true } });
    const { key } = await person(app, 'viewer');
    expect(await done(app, 'site/getAccessOverview', { projectId }, key)).toEqual({
      projectId,
      isApp: false,
      aiPermissions: { 'pages:*': true },
      pageCount: 2,
      protectedPageCount: 1,
      envVarCount: 2,
      secretCount: 1,
      policyCount: 0,
      authEnabled: expect.any(Boolean),
      resources: expect.any(Array),
    });
  });

  it('lists everything that has rules, whom they admit, and why some admit nobody', async () => {
    const { id: projectId, linkedBaseId: baseId } = await done(app, 'site/createProject', { name: 'Ruled' });
    const create = (name: string, execute?: unknown) =>
      done(app, 'site/createBackendFunction', {
        projectId,
        name,
        code: 'return true',
        ...(execute === undefined ? {} : { accessRules: { execute } }),
      });
    const policy = async (name: string) =>
      (await done(app, 'site/createAccessPolicy', { projectId, name, condition: { type: 'authenticated' } })).id;
    const [staff, gone] = [await policy('Staff'), await policy('Gone')];
    await create('none');
    await create('open', { type: 'public', scope: 'everywhere' });
    await create('users', [{ policy: staff }]);
    await create('paid', { all: [{ type: 'authenticated' }, { type: 'has_entitlement', key: 'pro' }] });
    await create('broken', [{ type: 'public', scope: 'everywhere' }, { policy: gone }]);
    await done(app, 'site/deleteAccessPolicy', { policyId: gone });
    const table = await done(app, 'bases/createTable', { baseId, name: 'Notes' });
    await done(app, 'bases/setTableAccessRules', { tableId: table.id, accessRules: { read: { type: 'creator' } } });
    const { resources } = await done(app, 'site/getAccessOverview', { projectId });
    const of = (kind: string, name: string, operation = 'execute') =>
      resources.find(
        (one: Record<string, unknown>) =>
          one['kind'] === kind && one['name'] === name && one['operation'] === operation,
      );
    const summary = (name: string) => {
      const { letsIn, hasRules, problem } = of('function', name);
      return [letsIn, hasRules, problem];
    };
    expect(summary('none')).toEqual(['owner', false, null]);
    expect(summary('open')).toEqual(['everyone', true, null]);
    expect(summary('users')).toEqual(['signed-in', true, null]);
    expect(summary('paid')).toEqual(['some', true, null]);
    expect(summary('broken')).toEqual(['owner', true, expect.stringContaining('there is none with this id')]);
    expect(of('function', 'users').words).toBe('the policy "Staff" grants access');
    expect(of('function', 'paid').words).toBe(
      'a user is signed in and the person holds the entitlement "pro" at the moment',
    );
    expect(of('table', 'Notes', 'read')).toMatchObject({ id: table.id, letsIn: 'some', hasRules: true });
    expect(of('table', 'Notes', 'delete')).toMatchObject({ letsIn: 'owner', hasRules: false });
    expect(of('email', 'email', 'send')).toMatchObject({ letsIn: 'owner', hasRules: false });
    expect(resources.find(({ kind }: { kind: string }) => kind === 'page')).toMatchObject({
      letsIn: 'everyone',
      hasRules: false,
    });
  });

  it("covers only the caller's workspace", async () => {
    const { id: projectId } = await done(app, 'site/createProject', { name: 'Shop' });
    const { ownerKey } = await otherWorkspace(app);
    const { status, body } = await app.call('site/getAccessOverview', { projectId }, ownerKey);
    expect([status, body.code]).toEqual([404, 'site-not-found']);
  });
});
