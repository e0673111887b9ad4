// Engines: one process.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { type Person, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let editor: Person;
let admin: Person;
beforeAll(async () => {
  app = await sharedApp();
  [editor, admin] = [await person(app, 'editor'), await person(app, 'admin')];
});
afterAll(() => app.close());

let made = 0;
const create = async (more: object = {}) =>
  (await app.call('automations/createFunction', { name: `fn ${made++}`, code: 'return 1', ...more })).body;
const get = async (id: string) => (await app.call('automations/getFunction', { id })).body;
const setPowers = (id: string, input: object, key?: string) =>
  app.call('automations/setFunctionCapabilities', { id, ...input }, key);
const approve = (card: { id: string; hash: string }, key?: string) =>
  app.call('approvals/approvePendingChange', { id: card.id, hash: card.hash }, key);
const pending = async (targetId: string) =>
  (await app.call('approvals/listPendingChanges', { targetId })).body.pendingChanges;

describe('Full data access', () => {
  it('needs the version that was seen, which must be the present one', async () => {
    const fn = await create();
    const missing = await setPowers(fn.id, { capabilities: ['service'] });
    expect([missing.status, missing.body.code]).toEqual([400, 'seen-version-missing']);
    const stale = await setPowers(fn.id, { capabilities: ['service'], seenVersion: 'x' });
    expect([stale.status, stale.body.code, stale.body.version]).toEqual([409, 'function-not-as-seen', fn.version]);
    expect((await setPowers(fn.id, { capabilities: ['service'], seenVersion: fn.version })).status).toBe(202);
  });

  const withAccess = async () => {
    const fn = await create();
    await approve((await setPowers(fn.id, { capabilities: ['service'], seenVersion: fn.version })).body.pendingChange);
    return get(fn.id);
  };

  it('is refused without a card if the workspace switch is off; sending a held one again and removal still work', async () => {
    const held = await withAccess();
    const fn = await create();
    await app.call('workspace/updateSettings', { actsAsWorkspaceSwitch: true });
    const { status, body } = await setPowers(fn.id, { capabilities: ['service'], seenVersion: fn.version });
    expect([status, body.code, await pending(fn.id)]).toEqual([403, 'service-through-identity-mode', []]);
    expect((await setPowers(held.id, { capabilities: ['service'] })).status).toBe(200);
    expect((await setPowers(held.id, { remove: ['service'] })).body.capabilities).toEqual([]);
    await app.call('workspace/updateSettings', { actsAsWorkspaceSwitch: false });
  });

  it('makes publications and rollbacks wait for a person, and nothing goes live until approval', async () => {
    const fn = await withAccess();
    const saved = (
      await app.call('automations/updateFunction', { id: fn.id, code: 'return 2', seenUpdatedAt: fn.updatedAt })
    ).body;
    const publication = await app.call('automations/publishFunction', { id: fn.id, versionId: saved.draft.versionId });
    expect([publication.status, publication.body.pendingChange.kind]).toEqual([202, 'function-publish']);
    expect(publication.body.pendingChange.changes).toEqual([{ path: 'code', from: 'return 1', to: 'return 2' }]);
    expect((await get(fn.id)).code).toBe('return 1');
    expect((await approve(publication.body.pendingChange, editor.key)).body.status).toBe('applied');
    const live = await get(fn.id);
    expect([live.code, live.liveVersionId, live.draft]).toEqual(['return 2', saved.draft.versionId, null]);
    const versions = (await app.call('automations/listFunctionVersions', { functionId: fn.id })).body.versions;
    expect(versions[0].publishedBy).toBe('The editor 1');
    const back = await app.call('automations/rollBackFunction', { id: fn.id, versionId: fn.liveVersionId });
    expect([back.status, back.body.pendingChange.kind]).toEqual([202, 'function-roll-back']);
    await approve(back.body.pendingChange);
    expect((await get(fn.id)).code).toBe('return 1');
  });

  describe('where versions are switched off', () => {
    beforeAll(() => app.call('workspace/updateSettings', { versions: false }));
    afterAll(() => app.call('workspace/updateSettings', { versions: true }));
    const update = (id: string, sent: object, key?: string) =>
      app.call('automations/updateFunction', { id, ...sent }, key);

    it('makes a save wait for a person as a whole, and the card applies all of it', async () => {
      const fn = await withAccess();
      const sent = {
        name: `${fn.name} renamed`,
        description: 'said',
        summary: 'short',
        exposed: true,
        isActive: true,
        code: 'return 3',
        timeout: 5_000,
      };
      const { status, body } = await update(fn.id, { ...sent, seenUpdatedAt: fn.updatedAt });
      expect([status, body.pendingChange.kind]).toEqual([202, 'function-save']);
      expect(body.pendingChange.changes.map(({ path }: { path: string }) => path).sort()).toEqual(
        Object.keys(sent).sort(),
      );
      expect(await get(fn.id)).toEqual(fn);
      expect((await approve(body.pendingChange)).status).toBe(200);
      expect(await get(fn.id)).toMatchObject(sent);
    });

    it.each([
      { name: 'Another name' },
      { description: 'told otherwise' },
      { exposed: true },
      { isActive: true },
      { isActive: false, description: 'off, and told otherwise' },
    ])('makes %j wait for a person', async (sent) => {
      const fn = await withAccess();
      const { status, body } = await update(fn.id, sent);
      expect([status, body.pendingChange?.kind]).toEqual([202, 'function-save']);
      expect(await get(fn.id)).toEqual(fn);
    });

    it('lets it be deactivated and hidden at once, and get another summary', async () => {
      const fn = await withAccess();
      await approve((await update(fn.id, { isActive: true, exposed: true })).body.pendingChange);
      for (const sent of [{ isActive: false, exposed: false }, { summary: 'short' }]) {
        expect((await update(fn.id, sent)).status).toBe(200);
        expect(await get(fn.id)).toMatchObject(sent);
      }
    });

    it('refuses a name that is taken at the request, and one that is taken by the approval', async () => {
      const fn = await withAccess();
      const { name: taken } = await create();
      expect((await update(fn.id, { name: taken })).body.code).toBe('function-name-taken');
      const { body } = await update(fn.id, { name: 'Soon taken' });
      await create({ name: 'Soon taken' });
      const late = await approve(body.pendingChange);
      expect([late.status, late.body.code, late.body.details?.reason ?? late.body.reason]).toEqual([
        409,
        'pending-change-moved',
        expect.stringContaining("named 'Soon taken'"),
      ]);
      expect((await get(fn.id)).name).toBe(fn.name);
    });

    it('must be requested again if what the card showed has changed', async () => {
      const fn = await withAccess();
      await approve((await update(fn.id, { isActive: true })).body.pendingChange);
      const { body } = await update(fn.id, { description: 'said', summary: 'of the card' });
      await update(fn.id, { summary: 'of somebody else' });
      expect((await approve(body.pendingChange)).body.code).toBe('pending-change-moved');
      expect(await get(fn.id)).toMatchObject({ description: '', summary: 'of somebody else' });
    });
  });

  it('lets name, description and activation change at once if versions are on', async () => {
    const fn = await withAccess();
    const sent = { name: `${fn.name} b`, description: 'said', exposed: true, isActive: true };
    expect((await app.call('automations/updateFunction', { id: fn.id, ...sent })).status).toBe(200);
    expect(await get(fn.id)).toMatchObject(sent);
  });
});

describe('the identity mode', () => {
  const setMode = (id: string, input: object) => app.call('automations/setFunctionIdentityMode', { id, ...input });

  it('is refused if the switch is not available', async () => {
    const fn = await create();
    const { status, body } = await setMode(fn.id, { mode: 'workspace', seenVersion: fn.version });
    expect([status, body.code]).toEqual([403, 'identity-mode-off']);
  });

  it('needs seenVersion to switch on; on and off both wait for the Owner or an Admin (SA-03)', async () => {
    await app.call('workspace/updateSettings', { actsAsWorkspaceSwitch: true });
    const fn = await create();
    expect((await setMode(fn.id, { mode: 'workspace' })).body.code).toBe('seen-version-missing');
    const on = await setMode(fn.id, { mode: 'workspace', seenVersion: fn.version });
    expect([on.status, on.body.pendingChange.approver]).toEqual([202, 'admin']);
    const no = await approve(on.body.pendingChange, editor.key);
    expect([no.status, no.body.code]).toEqual([403, 'only-an-admin-decides']);
    expect((await get(fn.id)).identityMode).toBe('as_set_up');
    await approve(on.body.pendingChange, admin.key);
    expect((await get(fn.id)).identityMode).toBe('workspace');
    const off = await setMode(fn.id, { mode: 'as_set_up' });
    expect([off.status, (await get(fn.id)).identityMode]).toEqual([202, 'workspace']);
    await approve(off.body.pendingChange);
    expect((await get(fn.id)).identityMode).toBe('as_set_up');
    await app.call('workspace/updateSettings', { actsAsWorkspaceSwitch: false });
  });
});
