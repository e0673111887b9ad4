import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { done, keyOf, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { SiteFunctionsScene } from '../../support/sites/site-functions.js';

let app: TestApp;
let site: SiteFunctionsScene;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  site = await SiteFunctionsScene.of(app);
});

const call = (operation: string, body: object, key?: string) =>
  app.call(`site/${operation}`, { projectId: site.projectId, ...body }, key);
const answer = async (reply: ReturnType<typeof call>) => {
  const { status, body } = await reply;
  return [status, body.code];
};

describe('versions', () => {
  it('a save is a draft, which a person publishes; an earlier version can be restored and the open draft remains', async () => {
    const fn = await site.create('greet', 'return 1');
    const functionId = fn.id;
    const { draft, code } = await site.update(functionId, { code: 'return 2' });
    expect([code, draft.code, await site.result('greet')]).toEqual(['return 1', 'return 2', 1]);
    const { body: publication } = await call('publishBackendFunction', { functionId, versionId: draft.versionId });
    expect(publication).toEqual({
      versionId: draft.versionId,
      number: 2,
      publishedBy: expect.any(String),
      publishedAt: expect.any(String),
    });
    expect(await site.result('greet')).toBe(2);
    await site.update(functionId, { code: 'return 3' });
    await call('rollBackBackendFunction', { functionId, versionId: fn.liveVersionId });
    expect(await site.result('greet')).toBe(1);
    const { switchedOn, versions } = (await call('listBackendFunctionVersions', { functionId })).body;
    expect([switchedOn, versions.map(({ state }: { state: string }) => state)]).toEqual([
      true,
      ['draft', 'archived', 'live'],
    ]);
  });

  it('can be published only by persons', async () => {
    const fn = await site.create('greet', 'return 1');
    const { draft } = await site.update(fn.id, { code: 'return 2' });
    const key = await keyOf(app, { kind: 'automation' });
    for (const operation of ['publishBackendFunction', 'rollBackBackendFunction']) {
      const { versionId } = draft;
      expect(await answer(call(operation, { functionId: fn.id, versionId }, key))).toEqual([403, 'drafts-only']);
    }
  });

  it('switched off, every save is live, and publishing is refused', async () => {
    await done(app, 'workspace/updateSettings', { versions: false });
    const fn = await site.create('greet', 'return 1');
    const functionId = fn.id;
    expect((await site.update(functionId, { code: 'return 2' })).code).toBe('return 2');
    const versionId = fn.liveVersionId;
    for (const operation of ['publishBackendFunction', 'rollBackBackendFunction']) {
      expect((await answer(call(operation, { functionId, versionId })))[1]).toBe('versions-off');
    }
    expect((await call('listBackendFunctionVersions', { functionId })).body).toEqual({
      switchedOn: false,
      versions: [],
    });
    await done(app, 'workspace/updateSettings', { versions: true });
  });
});

describe('powers', () => {
  it('a power waits for a person, and can be removed at once with an Undo', async () => {
    const fn = await site.create('greet', 'return 1');
    const functionId = fn.id;
    const asked = await call('setFunctionCapabilities', { functionId, capabilities: ['env'] });
    expect([asked.status, asked.body.capabilities]).toEqual([202, []]);
    await site.approve(asked.body);
    const { body } = await call('setFunctionCapabilities', { functionId, remove: ['env'] });
    expect([body.capabilities, body.undo]).toEqual([[], expect.objectContaining({ id: expect.any(String) })]);
  });

  it('Full data access needs seenVersion', async () => {
    const { id: functionId } = await site.create('greet', 'return 1');
    expect((await answer(call('setFunctionCapabilities', { functionId, capabilities: ['service'] })))[1]).toBe(
      'seen-version-missing',
    );
  });

  it('the identity mode waits for the Owner or an Admin (SA-03), if the workspace has the switch', async () => {
    const { id: functionId, version: seenVersion } = await site.create('greet', 'return 1');
    const wanted = { functionId, mode: 'workspace', seenVersion };
    expect((await answer(call('setFunctionIdentityMode', wanted)))[1]).toBe('identity-mode-off');
    await done(app, 'workspace/updateSettings', { actsAsWorkspaceSwitch: true });
    const { status, body } = await call('setFunctionIdentityMode', wanted);
    expect([status, body.identityMode, body.pendingChange.approver]).toEqual([202, 'as_set_up', 'admin']);
    // An editor's approval has no effect (SA-03).
    const { id, hash } = body.pendingChange;
    const { key: editor } = await person(app, 'editor');
    const tapped = await app.call('approvals/approvePendingChange', { id, hash }, editor);
    expect([tapped.status, tapped.body.code]).toEqual([403, 'only-an-admin-decides']);
    const modeNow = async () =>
      (await done(app, 'site/getBackendFunction', { projectId: site.projectId, functionId })).identityMode;
    expect(await modeNow()).toBe('as_set_up');
    const { key: admin } = await person(app, 'admin');
    expect((await app.call('approvals/approvePendingChange', { id, hash }, admin)).status).toBe(200);
    expect(await modeNow()).toBe('workspace');
    await done(app, 'workspace/updateSettings', { actsAsWorkspaceSwitch: false });
  });
});
