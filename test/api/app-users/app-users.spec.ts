// Engines: one process.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SiteUsers } from '../../../src/areas/app-users/app-user/site-users.api.js';
import { UserPasswords } from '../../../src/areas/app-users/app-user/user-passwords.api.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { done, keyOf, otherWorkspace } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let projectId: string;
let workspaceId: string;
beforeAll(async () => {
  app = await sharedApp();
  workspaceId = (await done(app, 'workspace/getWorkspace')).id;
});
afterAll(() => app.close());
beforeEach(async () => {
  projectId = (await done(app, 'site/createProject', { name: 'Users' })).id;
});
afterEach(() => done(app, 'site/deleteProject', { id: projectId }));

type User = Record<string, unknown> & { readonly id: string };
type Body = Readonly<Record<string, unknown>>;
const password = 'long enough';
const longDomain = `${`${'b'.repeat(61)}.`.repeat(4)}com`;
const call = (operation: string, body: object, key?: string) => app.call(`site/${operation}`, body, key);
const sent = (body: Body = {}) => ({ projectId, email: 'ada@example.com', password, ...body });
const create = (body: Body = {}): Promise<User> => done(app, 'site/createAppUser', sent(body));
const update = (userId: string, body: Body): Promise<User> =>
  done(app, 'site/updateAppUser', { projectId, userId, ...body });
const list = (body: Body = {}): Promise<{ users: readonly User[]; total: number }> =>
  done(app, 'site/getAppUsers', { projectId, ...body });
const answer = async (reply: ReturnType<typeof call>) => {
  const { status, body } = await reply;
  return [status, body.code];
};
const wrongPaths = async (reply: ReturnType<typeof call>) => {
  const { status, body } = await reply;
  return [status, body.errors?.map(({ path }: { path: string }) => path)];
};
const users = () => app.app.get(SiteUsers, { strict: false });
const signsIn = async (userId: string, tried: string) =>
  app.app
    .get(UserPasswords, { strict: false })
    .matches({ workspaceId, projectId }, await users().find(workspaceId, userId), tried);
const generation = async (userId: string) => (await users().find(workspaceId, userId))?.passGeneration;
const eventsOf = async (userId: string) =>
  app.app.get(EventStore, { strict: false }).readStream(`appUser-${workspaceId}.${userId}`);
const fieldsOf = async (...authCustomFields: readonly object[]): Promise<readonly { id: string; name: string }[]> => {
  const { authCustomFields: all } = await done(app, 'site/updateProjectAuth', { id: projectId, authCustomFields });
  return all;
};

describe('createAppUser', () => {
  it('answers the user without the password, and getAppUsers shows the same', async () => {
    const user = await create({ name: 'Ada', role: 'admin' });
    expect(user).toEqual({
      id: expect.stringMatching(/^usr_/),
      email: 'ada@example.com',
      name: 'Ada',
      role: 'admin',
      roleIds: [],
      isBanned: false,
      customFields: {},
    });
    expect(await list()).toEqual({ users: [user], total: 1 });
  });

  it('derives the name from the address if none is sent', async () => {
    expect((await create({ email: 'Grace.H@example.com' }))['name']).toBe('grace.h');
  });

  it('makes a user whose email is treated as verified', async () => {
    const { id } = await create();
    const user = await users().find(workspaceId, id);
    expect(user?.emailVerifiedAt).toBe(user?.createdAt);
  });

  it('lets the user sign in with the password, which is in no event in any form', async () => {
    const { id } = await create({ password: 'correct horse 1' });
    expect([await signsIn(id, 'correct horse 1'), await signsIn(id, 'correct horse 2')]).toEqual([true, false]);
    const [first, ...more] = await eventsOf(id);
    expect(more).toEqual([]);
    expect(Object.keys(first?.data ?? {}).sort()).toEqual([
      'customFields',
      'email',
      'emailVerifiedAt',
      'name',
      'origin',
      'passwordId',
      'projectId',
      'role',
      'roleIds',
    ]);
    expect(JSON.stringify(first)).not.toMatch(/scrypt|correct horse/);
  });

  it('records email, name and custom fields sealed under a key of the user', async () => {
    const [field] = await fieldsOf({ name: 'city', type: 'text' });
    const { id } = await create({ name: 'Ada L', customFields: { city: 'Turin' } });
    const [event] = await eventsOf(id);
    expect(JSON.stringify(event)).not.toMatch(/ada@example|Ada L|Turin/);
    expect(event?.data).toMatchObject({
      email: expect.stringMatching(`^sealed:1:appUser/${id}/email:`),
      name: expect.stringMatching(`^sealed:1:appUser/${id}/name:`),
      customFields: expect.stringMatching(`^sealed:1:appUser/${id}/customFields:`),
    });
    expect((await list()).users[0]?.['customFields']).toEqual({ [field?.id ?? '']: 'Turin' });
  });

  it.each([
    ['upper case', 'ADA@Example.COM', 'ada@example.com'],
    ['spaces around it', '  ada@example.com ', 'ada@example.com'],
    ['a plus', 'ada+news@example.com', 'ada+news@example.com'],
    ['an international domain', 'ada@bücher.example', 'ada@xn--bcher-kva.example'],
    ['254 characters', `aa@${longDomain}`, `aa@${longDomain}`],
  ])('stores an email with %s in normal form', async (_, email, kept) => {
    expect((await create({ email }))['email']).toBe(kept);
  });

  it.each([
    ['no @', 'ada'],
    ['a quoted part', '"a b"@example.com'],
    ['two addresses', 'a@example.com,b@example.com'],
    ['255 characters', `aaa@${longDomain}`],
    ['a line break', 'ada@example.com\nx'],
    ['NUL', 'a\u0000@example.com'],
    ['half a character', 'a\ud800@example.com'],
    ['a number', 7],
    ['nothing', null],
  ])('refuses an email with %s and creates nothing', async (_, email) => {
    expect(await wrongPaths(call('createAppUser', sent({ email })))).toEqual([400, ['email']]);
    expect((await list()).total).toBe(0);
  });

  it.each([
    ['8 characters', '12345678'],
    ['1,000 characters', 'x'.repeat(1_000)],
    ['8 characters of four bytes', '😀'.repeat(8)],
  ])('accepts a password of %s', async (_, chosen) => {
    const { id } = await create({ password: chosen });
    expect(await signsIn(id, chosen)).toBe(true);
  });

  it('accepts a password with any encoding of its accents', async () => {
    const { id } = await create({ password: 'crème brûlée'.normalize('NFD') });
    expect(await signsIn(id, 'crème brûlée'.normalize('NFC'))).toBe(true);
  });

  it.each([
    ['7 characters', '1234567'],
    ['7 characters in 14 units', '😀'.repeat(7)],
    ['1,001 characters', 'x'.repeat(1_001)],
    ['half a character', 'halves \ud83d halves'],
    ['U+0000', 'halves \u0000 halves'],
    ['no text', 12345678],
    ['nothing', undefined],
  ])('refuses a password of %s, without showing it', async (_, chosen) => {
    const { status, body } = await call('createAppUser', sent({ password: chosen }));
    expect([status, body.errors.map(({ path }: { path: string }) => path)]).toEqual([400, ['password']]);
    expect(JSON.stringify(body)).not.toMatch(/1234567|😀|halves/);
  });

  it('refuses a password of a million characters with an error message', async () => {
    const { status, body } = await call('createAppUser', sent({ password: 'x'.repeat(1_000_001) }));
    expect([status >= 400 && status < 500, typeof body.detail]).toEqual([true, 'string']);
  });

  it('refuses an email that another user of the site has, in any case, but not one of another site', async () => {
    await create();
    expect(await answer(call('createAppUser', sent({ email: 'ADA@example.com' })))).toEqual([409, 'email-taken']);
    const { id: other } = await done(app, 'site/createProject', { name: 'Other' });
    expect(await answer(call('createAppUser', sent({ projectId: other })))).toEqual([200, undefined]);
    await done(app, 'site/deleteProject', { id: other });
  });

  it('creates one user when 50 calls use the same email at once', async () => {
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, n) => call('createAppUser', sent({ email: n % 2 ? 'ada@x.org' : 'ADA@X.org' }))),
    );
    // The password hash queue is bounded, so calls beyond it did nothing and ask the caller to try again.
    const codes = replies.map(({ status, body }) => (status === 200 ? 'created' : body.code));
    expect(codes.filter((code) => code === 'created')).toHaveLength(1);
    expect(new Set(codes.filter((code) => code !== 'created' && code !== 'passwords-busy'))).toEqual(
      new Set(['email-taken']),
    );
    expect((await list()).total).toBe(1);
  });

  it('frees the email of a user who was deleted or changed it', async () => {
    const { id } = await create();
    await update(id, { email: 'lovelace@example.com' });
    const second = await create();
    await done(app, 'site/deleteAppUser', { projectId, userId: second.id });
    expect(await create()).toMatchObject({ email: 'ada@example.com' });
  });

  it('refuses a role that the site does not have, and creates nothing', async () => {
    expect(await answer(call('createAppUser', sent({ roleIds: ['role_none'] })))).toEqual([400, 'roles-unknown']);
    expect((await list()).total).toBe(0);
  });

  it('with sendWelcomeEmail says that there is no mailbox for it', async () => {
    expect(await create({ sendWelcomeEmail: true })).toMatchObject({ welcomeEmail: 'needsMailbox' });
  });

  it('is 404 in an unknown project or one of another workspace', async () => {
    const { ownerKey } = await otherWorkspace(app);
    expect(await answer(call('createAppUser', sent(), ownerKey))).toEqual([404, 'site-not-found']);
    expect(await answer(call('createAppUser', sent({ projectId: 'proj_none' })))).toEqual([404, 'site-not-found']);
  });
});

describe('updateAppUser', () => {
  it('changes the sent fields, and merges custom fields', async () => {
    const [city, size] = await fieldsOf({ name: 'city', type: 'text' }, { name: 'size', type: 'integer' });
    const { id } = await create({ customFields: { city: 'Turin', size: 3 } });
    const changed = await update(id, { name: 'Ada L', role: 'guide', customFields: { size: 4 } });
    expect(changed).toMatchObject({ name: 'Ada L', role: 'guide', email: 'ada@example.com' });
    expect(changed['customFields']).toEqual({ [city?.id ?? '']: 'Turin', [size?.id ?? '']: 4 });
    expect((await update(id, { profileData: { city: null } }))['customFields']).toEqual({ [size?.id ?? '']: 4 });
    expect((await list()).users).toEqual([await update(id, {})]);
  });

  it('accepts customFields and profileData together if they are equal', async () => {
    await fieldsOf({ name: 'city', type: 'text' });
    const { id: userId } = await create();
    const body = { projectId, userId, customFields: { city: 'Turin' } };
    const differs = call('updateAppUser', { ...body, profileData: { city: 'Rome' } });
    expect(await answer(differs)).toEqual([400, 'profile-data-differs']);
    expect((await call('updateAppUser', { ...body, profileData: { city: 'Turin' } })).status).toBe(200);
  });

  it('records nothing when nothing differs', async () => {
    const { id } = await create({ name: 'Ada' });
    await update(id, { name: 'Ada', email: 'ADA@example.com', isBanned: false, customFields: {} });
    expect(await eventsOf(id)).toHaveLength(1);
  });

  it('keeps the values of two simultaneous changes of different custom fields', async () => {
    const fields = await fieldsOf({ name: 'a', type: 'integer' }, { name: 'b', type: 'integer' });
    const { id } = await create();
    await Promise.all([update(id, { customFields: { a: 1 } }), update(id, { customFields: { b: 2 } })]);
    expect((await update(id, {}))['customFields']).toEqual({ [fields[0]?.id ?? '']: 1, [fields[1]?.id ?? '']: 2 });
  });

  it('ends the sessions of a user who is banned or gets another email, and of no other', async () => {
    const { id } = await create();
    const counted = async (body: Body) => {
      const before = (await generation(id)) ?? 0;
      await update(id, body);
      return ((await generation(id)) ?? 0) - before;
    };
    expect(await counted({ name: 'New' })).toBe(0);
    expect(await counted({ email: 'new@example.com' })).toBe(1);
    expect(await counted({ isBanned: true })).toBe(1);
    expect(await counted({ isBanned: true })).toBe(0);
    expect(await counted({ isBanned: false })).toBe(0);
    expect((await list()).users[0]).toMatchObject({ isBanned: false, email: 'new@example.com' });
  });

  it('refuses an email that another user has, and changes nothing', async () => {
    const { id } = await create();
    await create({ email: 'grace@example.com' });
    const body = { projectId, userId: id, name: 'New', email: 'Grace@example.com' };
    expect(await answer(call('updateAppUser', body))).toEqual([409, 'email-taken']);
    expect(await update(id, {})).toMatchObject({ name: 'ada', email: 'ada@example.com' });
  });

  it('gives an email to one of 20 users with simultaneous calls', async () => {
    const made: User[] = [];
    for (let n = 0; n < 20; n++) made.push(await create({ email: `u${n}@example.com` }));
    const replies = await Promise.all(
      made.map(({ id }) => call('updateAppUser', { projectId, userId: id, email: 'one@example.com' })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)]);
  }, 30_000);

  it('is found by the present address, in any case', async () => {
    const { id } = await create();
    await update(id, { email: 'lovelace@example.com' });
    expect((await users().byEmail(workspaceId, projectId, ' LOVELACE@example.com'))?.id).toBe(id);
    expect(await users().byEmail(workspaceId, projectId, 'ada@example.com')).toBeUndefined();
    expect(await users().byEmail(workspaceId, 'proj_none', 'lovelace@example.com')).toBeUndefined();
  });
});

describe('a user of another project', () => {
  it.each([
    ['updateAppUser', { name: 'x' }],
    ['updateAppUserRole', { role: 'admin' }],
    ['resetAppUserPassword', { newPassword: 'long enough 2' }],
    ['deleteAppUser', {}],
  ])('is 404 for %s, like an unknown one, and does not change', async (operation, body) => {
    const { id } = await create();
    const { id: other } = await done(app, 'site/createProject', { name: 'Other' });
    const missing = [404, 'app-user-not-found'];
    expect(await answer(call(operation, { projectId: other, userId: id, ...body }))).toEqual(missing);
    expect(await answer(call(operation, { projectId, userId: 'usr_none', ...body }))).toEqual(missing);
    const { ownerKey } = await otherWorkspace(app);
    expect((await call(operation, { projectId, userId: id, ...body }, ownerKey)).status).toBe(404);
    expect(await eventsOf(id)).toHaveLength(1);
    expect(await signsIn(id, password)).toBe(true);
    await done(app, 'site/deleteProject', { id: other });
  });
});

describe('updateAppUserRole', () => {
  it('sets the legacy role, which is user or admin', async () => {
    const { id: userId } = await create();
    expect(await done(app, 'site/updateAppUserRole', { projectId, userId, role: 'admin' })).toMatchObject({
      role: 'admin',
      roleIds: [],
    });
    expect(await wrongPaths(call('updateAppUserRole', { projectId, userId, role: 'guide' }))).toEqual([400, ['role']]);
  });
});

describe('resetAppUserPassword', () => {
  it('replaces the password and ends the sessions', async () => {
    const { id: userId } = await create();
    const body = { projectId, userId, newPassword: 'another one' };
    expect(await done(app, 'site/resetAppUserPassword', body)).toEqual({ success: true });
    expect([await signsIn(userId, password), await signsIn(userId, 'another one')]).toEqual([false, true]);
    expect(await generation(userId)).toBe(1);
  });

  it.each(['1234567', 'x'.repeat(1_001)])('refuses a password of a wrong length', async (newPassword) => {
    const { id: userId } = await create();
    const reply = call('resetAppUserPassword', { projectId, userId, newPassword });
    expect(await wrongPaths(reply)).toEqual([400, ['newPassword']]);
    expect(await signsIn(userId, password)).toBe(true);
  });

  it('of 10 at once, leaves the one recorded last', async () => {
    const { id: userId } = await create();
    const tried = Array.from({ length: 10 }, (_, n) => `new password ${n}`);
    await Promise.all(
      tried.map((newPassword) => done(app, 'site/resetAppUserPassword', { projectId, userId, newPassword })),
    );
    const right = await Promise.all(tried.map((one) => signsIn(userId, one)));
    expect(right.filter((one) => one)).toHaveLength(1);
  });
});

describe('deleteAppUser', () => {
  it('deletes the user and the password', async () => {
    const { id: userId } = await create();
    const found = await users().find(workspaceId, userId);
    expect(await done(app, 'site/deleteAppUser', { projectId, userId })).toEqual({ success: true });
    expect(await list()).toEqual({ users: [], total: 0 });
    expect(await answer(call('deleteAppUser', { projectId, userId }))).toEqual([404, 'app-user-not-found']);
    const passwords = app.app.get(UserPasswords, { strict: false });
    await eventually(
      () => passwords.matches({ workspaceId, projectId }, found, password),
      (matches) => !matches,
    );
  });

  it('is refused to keys that never delete, like a ban', async () => {
    const { id: userId } = await create();
    const key = await keyOf(app, { kind: 'person', neverDeletes: true });
    for (const [operation, body] of [
      ['deleteAppUser', {}],
      ['updateAppUser', { isBanned: true }],
      ['resetAppUserPassword', { newPassword: 'another one' }],
    ] as const) {
      expect((await call(operation, { projectId, userId, ...body }, key)).status).toBe(403);
    }
    expect((await call('updateAppUser', { projectId, userId, name: 'New' }, key)).status).toBe(200);
  });
});

describe('a project', () => {
  it('counts its users before it is deleted, and deletes them too', async () => {
    const { id } = await done(app, 'site/createProject', { name: 'Doomed' });
    const user = await create({ projectId: id });
    expect(await done(app, 'site/getProjectDeleteInfo', { id })).toMatchObject({ appUserCount: 1 });
    await done(app, 'site/deleteProject', { id });
    await eventually(
      () => users().find(workspaceId, user.id),
      (found) => found === undefined,
    );
  });
});
