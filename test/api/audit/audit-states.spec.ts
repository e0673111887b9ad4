import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { done, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let viewer: string;
beforeAll(async () => {
  app = await sharedApp();
  viewer = (await person(app, 'viewer')).key;
}, 60_000);
afterAll(() => app?.close());

const get = (id: string) => done(app, 'automations/getFunction', { id });
async function save(id: string, change: object) {
  const { updatedAt: seenUpdatedAt } = await get(id);
  return done(app, 'automations/updateFunction', { id, seenUpdatedAt, ...change });
}
async function lastOf(kind: string, id: string): Promise<{ readonly position: number; readonly at: string }> {
  const { events } = await done(app, 'audit/listEvents', { kind, id, limit: 1 });
  return events[0];
}
const large = (n: number) => `// ${n}\n${'// a line that says nothing at all\n'.repeat(3_000)}`;

describe('a past state of a function', () => {
  it('equals the answer of getFunction at that time, by position and by instant, with its code', async () => {
    const { id } = await done(app, 'automations/createFunction', { name: 'Then', code: large(0) });
    const seen: { readonly live: object; readonly position: number; readonly at: string }[] = [];
    const look = async () => {
      const { position, at } = await lastOf('function', id);
      seen.push({ live: await get(id), position, at });
    };
    await look();
    for (const change of [{ code: large(1) }, { name: 'Renamed' }, { code: 'return 2' }, { description: 'said' }]) {
      await save(id, change);
      await look();
    }
    for (const { live, position, at } of seen) {
      expect(await done(app, 'audit/getStateAt', { kind: 'function', id, position }, viewer)).toEqual({
        state: live,
        position,
        at,
      });
    }
    const latest = seen.at(-1);
    expect(await done(app, 'audit/getStateAt', { kind: 'function', id, at: latest?.at })).toEqual({
      state: latest?.live,
      position: latest?.position,
      at: latest?.at,
    });
  });

  it('is null before its creation and after its deletion', async () => {
    const { id } = await done(app, 'automations/createFunction', { name: 'Passing' });
    const { position } = await lastOf('function', id);
    const asked = { kind: 'function', id };
    const nothing = { state: null, position: null, at: null };
    expect(await done(app, 'audit/getStateAt', { ...asked, position: position - 1 })).toEqual(nothing);
    expect(await done(app, 'audit/getStateAt', { ...asked, at: '2001-01-01' })).toEqual(nothing);
    const live = await get(id);
    await done(app, 'automations/deleteFunction', { id });
    const end = await lastOf('function', id);
    const after = await done(app, 'audit/getStateAt', { ...asked, position: end.position });
    expect(after).toEqual({ state: null, position: end.position, at: end.at });
    expect((await done(app, 'audit/getStateAt', { ...asked, position: end.position - 1 })).state).toEqual(live);
  });

  it('differs between two times, in the direction asked', async () => {
    const { id } = await done(app, 'automations/createFunction', { name: 'One' });
    const one = await lastOf('function', id);
    await save(id, { name: 'Two' });
    const two = await lastOf('function', id);
    const diff = async (from: unknown, to: unknown) =>
      (await done(app, 'audit/diffStates', { kind: 'function', id, from, to })).changes.filter(
        ({ path }: { path: string }) => path !== 'updatedAt' && path !== 'version',
      );
    expect(await diff(one.position, two.position)).toEqual([{ path: 'name', from: 'One', to: 'Two' }]);
    expect(await diff(two.at, one.position)).toEqual([{ path: 'name', from: 'Two', to: 'One' }]);
    expect(await diff(two.position, two.position)).toEqual([]);
    expect(await diff(one.position - 1, one.position)).toContainEqual({ path: 'name', from: null, to: 'One' });
  });
});

describe('past states of other kinds', () => {
  it('equal the answer of getPage, with a text above a megabyte named by its digest', async () => {
    const { id: projectId } = await done(app, 'site/createProject', { name: 'Then' });
    const { id } = await done(app, 'site/createPage', { projectId, name: 'Long', path: '/long', content: large(1) });
    const small = { live: await done(app, 'site/getPage', { id }), ...(await lastOf('page', id)) };
    const content = '// a line of a very long page, which goes on and on\n'.repeat(25_000);
    await done(app, 'site/updatePage', { id, content, baseContentHash: small.live.contentHash });
    const { position } = await lastOf('page', id);
    const state = async (then: object) => (await done(app, 'audit/getStateAt', { kind: 'page', id, ...then })).state;
    expect(await state({ position: small.position })).toEqual(small.live);
    const live = await done(app, 'site/getPage', { id });
    const leftOut = { leftOut: 'text', bytes: content.length, sha256: hash('sha256', content, 'hex') };
    expect(await state({ position })).toEqual({ ...live, content: leftOut });
    const { changes } = await done(app, 'audit/diffStates', { kind: 'page', id, from: small.position, to: position });
    expect(changes).toContainEqual({ path: 'content', from: large(1), to: leftOut });
  });

  it("show a schedule's omitted settings as the site does", async () => {
    const { id: projectId } = await done(app, 'site/createProject', { name: 'On time' });
    await done(app, 'site/createBackendFunction', { projectId, name: 'tick', code: 'return 1;' });
    const given = { projectId, functionName: 'tick', cronExpression: '0 6 * * *' };
    const live = await done(app, 'site/createSchedule', given);
    const { position } = await lastOf('schedule', live.id);
    const { state } = await done(app, 'audit/getStateAt', { kind: 'schedule', id: live.id, position });
    const shown = [
      'id',
      'name',
      'params',
      'cronExpression',
      'timezone',
      'overlap',
      'isActive',
      'targetRef',
      'targetKind',
    ];
    expect(Object.fromEntries(shown.map((name) => [name, state[name]]))).toEqual(
      Object.fromEntries(shown.map((name) => [name, live[name]])),
    );
    expect([state.name, state.params]).toEqual([null, {}]);
  });

  it('show members and keys as answers do, with personal data opened and nothing internal', async () => {
    const { id, keyId } = await person(app, 'editor');
    const member = (await done(app, 'workspace/listMembers')).members.find((one: { id: string }) => one.id === id);
    const key = (await done(app, 'workspace/listApiKeys')).find((one: { id: string }) => one.id === keyId);
    const past = async (kind: string, of: string) => {
      const { position } = await lastOf(kind, of);
      return (await done(app, 'audit/getStateAt', { kind, id: of, position })).state;
    };
    expect(await past('member', id)).toEqual(member);
    // The record leaves out restrictions that a key does not have, and the client if the key belongs to none.
    const { lastUsedAt: _, status: __, areas: ___, functions: ____, client: _____, ...recorded } = key;
    expect(await past('apiKey', keyId)).toMatchObject(recorded);
    expect(await past('apiKey', keyId)).not.toHaveProperty('keyHash');
    const before = await lastOf('member', id);
    await done(app, 'workspace/removeMember', { id });
    const { state } = await eventually(
      () => done(app, 'audit/getStateAt', { kind: 'member', id, position: before.position }),
      ({ state: then }) => then.email === 'erased',
    );
    expect(state).toEqual({ ...member, name: 'A former member', email: 'erased' });
  });
});

describe('a time that cannot be answered', () => {
  let asked: { readonly kind: string; readonly id: string };
  beforeAll(async () => {
    const { id } = await done(app, 'automations/createFunction', { name: 'Asked about', code: 'return 1' });
    asked = { kind: 'function', id };
  });
  const refused = async (operation: string, body: object, key?: string) => {
    const { status, body: problem } = await app.call(operation, body, key);
    return [status, problem.code];
  };

  it('is refused by name: none, two, a future one, and positions beyond the log', async () => {
    const state = (then: object) => refused('audit/getStateAt', { ...asked, ...then });
    expect(await state({})).toEqual([400, 'audit-time-wrong']);
    expect(await state({ at: '2026-01-01', position: 1 })).toEqual([400, 'audit-time-wrong']);
    expect(await state({ at: '9999-01-01T00:00:00Z' })).toEqual([400, 'audit-time-in-future']);
    expect(await state({ position: 10 ** 9 })).toEqual([400, 'audit-position-beyond-log']);
    expect(await state({ at: 'yesterday' })).toEqual([400, 'invalid-input']);
    expect(await state({ position: -1 })).toEqual([400, 'invalid-input']);
    const diff = (from: unknown, to: unknown) => refused('audit/diffStates', { ...asked, from, to });
    expect(await diff(0, '9999-01-01T00:00:00Z')).toEqual([400, 'audit-time-in-future']);
    expect(await diff(10 ** 9, 0)).toEqual([400, 'audit-position-beyond-log']);
    for (const wrong of ['yesterday', -1, 1.5, null, true, {}, []]) {
      expect(await diff(wrong, 0)).toEqual([400, 'invalid-input']);
    }
  });

  it('is refused for unknown kinds and records, and those of other workspaces', async () => {
    const other = await otherWorkspace(app);
    const time = { position: 1 };
    expect(await refused('audit/getStateAt', { ...asked, id: 'fn_nowhere', ...time })).toEqual([
      404,
      'resource-not-found',
    ]);
    expect(await refused('audit/getStateAt', { ...asked, kind: 'no', ...time })).toEqual([404, 'resource-not-found']);
    expect(await refused('audit/getStateAt', { ...asked, ...time }, other.ownerKey)).toEqual([
      404,
      'resource-not-found',
    ]);
    const target = { targetKind: 'account_function', targetRef: asked.id };
    const { id } = await done(app, 'automations/createMailhook', { name: 'Orders', ...target });
    const mailhook = { kind: 'mailhook', id };
    expect(await refused('audit/getStateAt', { ...mailhook, ...time }, viewer)).toEqual([404, 'resource-not-found']);
    expect(await refused('audit/diffStates', { ...mailhook, from: 0, to: 1 }, viewer)).toEqual([
      404,
      'resource-not-found',
    ]);
    const { position } = await lastOf('mailhook', id);
    expect((await done(app, 'audit/getStateAt', { ...mailhook, position })).state).toMatchObject({
      id,
      isActive: true,
    });
  });
});
