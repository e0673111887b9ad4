// Engines: one process, and several.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EventStore } from '../../../src/ports/event-store.port.js';
import type { TestApp } from '../../support/app.js';
import { approved } from '../../support/approved.js';
import { done, keyOf } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let projectId: string;
let userId: string;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  projectId = (await done(app, 'site/createProject', { name: `Site ${randomUUID()}` })).id;
  userId = (await create('ada@example.com', { name: 'Ada' })).id;
});

const create = (email: string, more: object = {}) =>
  done(app, 'site/createAppUser', { projectId, email, password: 'long enough', ...more });
const getAppUsers = () => done(app, 'site/getAppUsers', { projectId });
const both = ['users', 'entitlements'];

/** A function with these powers and grants. By default it may write to the one site. */
async function made(code: string, powers: readonly string[], bases: readonly object[] = [{ projectId }]) {
  const fn = await done(app, 'automations/createFunction', { name: `u ${randomUUID()}`, code, grants: { bases } });
  if (powers.length > 0) {
    const wanted = { id: fn.id, capabilities: powers, seenVersion: fn.version };
    await approved(app, await app.call('automations/setFunctionCapabilities', wanted));
  }
  return fn.id as string;
}
async function run(code: string, powers: readonly string[] = both, bases?: readonly object[], key?: string) {
  const id = await made(code, powers, bases);
  const { status, body } = await app.call('automations/invokeFunction', { id, event: {} }, key);
  expect([status, body.detail]).toEqual([200, undefined]);
  return body.result;
}
const site = () => `ctx.sites['${projectId}']`;
const failing = (call: string) =>
  `return ${site()}.${call}.then(() => 'done', ({ status, code, message }) => [status, code, message])`;
const members = () => [
  ['users', 'users.list()'],
  ['users', `users.get('${userId}')`],
  ['users', `users.update('${userId}', { name: 'Changed' })`],
  ['users', `users.ban('${userId}')`],
  ['entitlements', `entitlements.list('${userId}')`],
  ['entitlements', `entitlements.grant('${userId}', 'member')`],
  ['entitlements', `entitlements.revoke('${userId}', 'member')`],
];
const isChanging = (call: string) => !/\.(?:list|get)\(/.test(call);

describe('ctx.sites[…].users', () => {
  it('lists users as getAppUsers shows them, with pages', async () => {
    await create('grace@example.com');
    expect(await run(`return ${site()}.users.list()`)).toEqual(await getAppUsers());
    expect(await run(`return ${site()}.users.list({ limit: 1, offset: 1 })`)).toEqual({
      users: [expect.objectContaining({ email: 'grace@example.com' })],
      total: 2,
    });
  });

  it('gets, changes and bans one, and resolves to the user', async () => {
    const { users } = await getAppUsers();
    expect(await run(`return ${site()}.users.get('${userId}')`)).toEqual(users[0]);
    const changed = { ...users[0], name: 'Ada L.' };
    expect(await run(`return ${site()}.users.update('${userId}', { name: 'Ada L.' })`)).toEqual(changed);
    expect(await run(`return ${site()}.users.ban('${userId}')`)).toEqual({ ...changed, isBanned: true });
    expect((await getAppUsers()).users).toEqual([{ ...changed, isBanned: true }]);
    expect(await run(`return ${site()}.users.update('${userId}', { isBanned: false })`)).toEqual(changed);
  });

  it('changes them as the function, which the history names', async () => {
    const id = await made(`await ${site()}.users.ban('${userId}')`, both);
    await done(app, 'automations/invokeFunction', { id, event: {} });
    const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
    const log = app.app.get(EventStore, { strict: false });
    const [last] = await log.readStream(`appUser-${workspaceId}.${userId}`, { direction: 'backward', limit: 1 });
    expect([last?.type, last?.metadata.actor.kind, last?.metadata.actor.id]).toEqual(['AppUserBanned', 'function', id]);
  });

  it.each([
    ['list({ limit: 0 })', 400, 'invalid-input'],
    ['list(7)', 400, 'invalid-input'],
    ['get()', 400, 'invalid-input'],
    ["get('usr_none')", 404, 'app-user-not-found'],
    ["update('usr_none', { name: 'x' })", 404, 'app-user-not-found'],
    ["update('usr_none')", 400, 'invalid-input'],
    ["update('usr_none', { userId: 'other' })", 400, 'invalid-input'],
    ["update('usr_none', { password: 'long enough' })", 400, 'invalid-input'],
    ["update('usr_none', { email: 'no address' })", 400, 'invalid-input'],
    ["update('usr_none', { email: 'new@example.com' })", 403, 'user-email-by-person'],
    ["ban('usr_none')", 404, 'app-user-not-found'],
    ['ban({})', 400, 'invalid-input'],
  ])('refuses users.%s', async (call, status, code) => {
    expect(await run(failing(`users.${call}`))).toEqual([status, code, expect.any(String)]);
  });

  it('sees no users of another site', async () => {
    const { id: other } = await done(app, 'site/createProject', { name: `Other ${randomUUID()}` });
    const code = (call: string) =>
      `return ctx.sites['${other}'].${call}.then(() => 'done', ({ status, code }) => [status, code])`;
    for (const [, call] of members()) {
      if (call === undefined || call === 'users.list()') continue;
      expect([call, await run(code(call), both, [{ projectId: other }])]).toEqual([call, [404, 'app-user-not-found']]);
    }
    expect(await run(`return ctx.sites['${other}'].users.list()`, both, [{ projectId: other }])).toEqual({
      users: [],
      total: 0,
    });
  });
});

describe('ctx.sites[…].entitlements', () => {
  it('grants, lists and revokes, as the operations do', async () => {
    const grant = `entitlements.grant('${userId}', 'member', { expiresAt: '2099-01-01T00:00:00Z', source: { why: 'gift' } })`;
    expect(await run(`return ${site()}.${grant}`)).toEqual({ success: true });
    const listed = () => done(app, 'site/getEntitlements', { projectId, appUserId: userId });
    expect(await listed()).toMatchObject([{ key: 'member', status: 'active', source: { why: 'gift' } }]);
    expect(await run(`return ${site()}.entitlements.list('${userId}')`)).toEqual(await listed());
    expect(await run(`return ${site()}.entitlements.revoke('${userId}', 'member')`)).toEqual({ success: true });
    expect(await listed()).toMatchObject([{ key: 'member', status: 'revoked' }]);
  });

  it.each([
    ["grant('usr_none', 'member')", 404],
    ['grant()', 400],
    ["grant('usr_none', 7)", 400],
    ["grant('usr_none', 'member', { expiresAt: 'soon' })", 400],
    ["grant('usr_none', 'member', { key: 'other' })", 400],
    ["revoke('usr_none', 'member')", 404],
    ["list('usr_none')", 404],
  ])('refuses entitlements.%s', async (call, status) => {
    expect(await run(failing(`entitlements.${call}`))).toMatchObject([status, expect.any(String), expect.any(String)]);
  });
});

describe('a function', () => {
  it('without the power is refused every member, with instructions', async () => {
    for (const [power, call] of members()) {
      const others = both.filter((one) => one !== power);
      expect([call, await run(failing(String(call)), others)]).toEqual([
        call,
        [
          403,
          'power-missing',
          expect.stringMatching(new RegExp(`needs the power '${power}'.*setFunctionCapabilities`)),
        ],
      ]);
    }
    expect((await getAppUsers()).users).toMatchObject([{ name: 'Ada', isBanned: false }]);
  });

  it('without a grant for the site is refused, and with read access changes nothing (ER-03)', async () => {
    const { name } = await done(app, 'site/getProject', { id: projectId });
    for (const [, call] of members()) {
      expect([call, await run(failing(String(call)), both, [])]).toEqual([
        call,
        [403, 'site-not-granted', expect.stringContaining('grants.bases')],
      ]);
      if (call === undefined || !isChanging(call)) continue;
      expect([call, await run(failing(call), both, [{ projectId, access: 'read' }])]).toEqual([
        call,
        [403, 'site-read-only', `This function may only read ${name}.`],
      ]);
    }
    expect(await run(`return ${site()}.users.list()`, both, [{ projectId, access: 'read' }])).toMatchObject({
      total: 1,
    });
  });

  it('started by a key that never deletes cannot ban or revoke', async () => {
    await done(app, 'site/grantEntitlement', { projectId, appUserId: userId, key: 'member' });
    const key = await keyOf(app, { kind: 'connection', neverDeletes: true });
    for (const call of [`users.ban('${userId}')`, `entitlements.revoke('${userId}', 'member')`]) {
      expect(await run(failing(call), both, undefined, key)).toMatchObject([
        403,
        'key-never-deletes',
        expect.any(String),
      ]);
    }
    expect(await run(`return ${site()}.users.update('${userId}', { name: 'x' })`, both, undefined, key)).toMatchObject({
      name: 'x',
      isBanned: false,
    });
  });

  it('needs one platform call for each', async () => {
    const code = `
      await ${site()}.users.list();
      await ${site()}.entitlements.list('${userId}');
      await ${site()}.users.ban('nobody').catch(() => {});
      return ctx.limits.databaseCalls.used`;
    expect(await run(code)).toBe(3);
  });

  it('of a site does not have these members', async () => {
    const code = 'return [typeof ctx.sites, typeof ctx.users, typeof ctx.entitlements]';
    await done(app, 'site/createBackendFunction', { projectId, name: 'look', code });
    const { data } = await done(app, 'site/invokeBackendFunction', { projectId, functionName: 'look', params: {} });
    expect(data).toEqual(['undefined', 'undefined', 'undefined']);
  });
});
