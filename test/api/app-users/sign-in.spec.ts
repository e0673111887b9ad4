// Engines: one process.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { visitorPassword as password, type SiteVisitors, siteVisitors } from '../../support/sites/site-visitors.js';

let app: TestApp;
let site: SiteVisitors;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  site = await siteVisitors(app);
});

const auth = (settings: object) => done(app, 'site/updateProjectAuth', { id: site.projectId, ...settings });
const brief = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];
const ada = 'ada@example.com';

interface Shown {
  readonly type: string;
  readonly position: number;
}

describe('auth/signup', () => {
  it('makes a user and, while emails need not be verified, a session', async () => {
    const { status, body } = await site.post('auth/signup', { email: 'Ada@Example.COM', password, name: 'Ada' });
    expect(status).toBe(200);
    const user = {
      id: expect.stringMatching(/^usr_/),
      email: ada,
      name: 'Ada',
      roles: [],
      roleIds: [],
      entitlements: [],
      customFields: {},
      emailVerified: false,
    };
    const session = { token: expect.stringMatching(/^[\w-]{32}$/), expiresAt: expect.any(String) };
    expect(body).toEqual({ user, verificationRequired: false, session });
    expect(await site.me(body.session.token)).toEqual(body.user);
    expect(await site.me(await site.logIn(ada))).toEqual(body.user);
  });
});

describe('auth/login', () => {
  it('signs in with the right password, and answers everything else with the same error', async () => {
    const { id } = await site.user(ada);
    expect((await site.me(await site.logIn(' ADA@example.com ')))?.id).toBe(id);
    const wrong = await site.post('auth/login', { email: ada, password: 'wrong horse' });
    const unknown = await site.post('auth/login', { email: 'bob@example.com', password });
    expect(brief(wrong)).toEqual([401, 'log-in-failed']);
    expect({ ...unknown.body, requestId: '' }).toEqual({ ...wrong.body, requestId: '' });
  });

  it('is refused while sign-in is off, and sessions are suspended', async () => {
    await site.user(ada);
    const pass = await site.logIn(ada);
    await auth({ authEnabled: false });
    expect(brief(await site.post('auth/login', { email: ada, password }))).toEqual([403, 'sign-in-off']);
    expect(await site.me(pass)).toBeNull();
  });
});

describe('auth/logout', () => {
  it('ends the session, and may be repeated', async () => {
    await site.user(ada);
    const [pass, other] = [await site.logIn(ada), await site.logIn(ada)];
    for (const _ of [1, 2]) expect((await site.post('auth/logout', {}, pass)).body).toEqual({ success: true });
    expect(await site.me(pass)).toBeNull();
    expect((await site.me(other))?.['email']).toBe(ada);
  });
});

describe('auth/me', () => {
  it('shows the names of the roles, the entitlements, and custom fields by name', async () => {
    await auth({ authCustomFields: [{ name: 'plan', type: 'text' }] });
    const { projectId } = site;
    const role = await done(app, 'site/createProjectRole', { projectId, name: 'Gold' });
    const { id: userId } = await site.user(ada, { name: 'Ada', roleIds: [role.id], customFields: { plan: 'basic' } });
    await done(app, 'site/grantEntitlement', { projectId, appUserId: userId, key: 'course' });
    await done(app, 'site/grantEntitlement', { projectId, appUserId: userId, key: 'gone' });
    await done(app, 'site/revokeEntitlement', { projectId, appUserId: userId, key: 'gone' });
    expect(await site.me(await site.logIn(ada))).toEqual({
      id: userId,
      email: ada,
      name: 'Ada',
      roles: ['Gold'],
      roleIds: [role.id],
      entitlements: ['course'],
      customFields: { plan: 'basic' },
      emailVerified: true,
    });
  });
});

describe('auth/signup with fields of the site', () => {
  const plan = { name: 'plan', type: 'select', options: ['basic', 'gold'], required: true };
  const signUp = (customFields?: unknown) =>
    site.post('auth/signup', { email: ada, password, ...(customFields === undefined ? {} : { customFields }) });

  it('accepts their values by name or id', async () => {
    const { authCustomFields } = await auth({ authCustomFields: [plan] });
    for (const [at, key] of ['plan', authCustomFields[0].id].entries()) {
      const { body } = await site.post('auth/signup', {
        email: `user-${at}@example.com`,
        password,
        customFields: { [key]: 'gold' },
      });
      expect(body.user.customFields).toEqual({ plan: 'gold' });
    }
  });

  it.each([
    ['none', undefined],
    ['null', { plan: null }],
    ['a value that is no option', { plan: 'silver' }],
    ['a value of another type', { plan: 7 }],
    ['a field there is not', { plan: 'gold', colour: 'red' }],
    ['a list', []],
  ])('refuses %s, and creates no user', async (_, customFields) => {
    await auth({ authCustomFields: [plan] });
    expect(brief(await signUp(customFields))).toEqual([400, 'invalid-input']);
    expect((await done(app, 'site/getAppUsers', { projectId: site.projectId })).total).toBe(0);
  });
});

describe('auth/signup', () => {
  it('is refused while sign-up or sign-in is off', async () => {
    await auth({ authAllowSignup: false });
    expect(brief(await site.post('auth/signup', { email: ada, password }))).toEqual([403, 'sign-up-off']);
    await auth({ authEnabled: false });
    expect(brief(await site.post('auth/signup', { email: ada, password }))).toEqual([403, 'sign-in-off']);
  });

  it.each([false, true])(
    'creates one user from 50 simultaneous calls with one email (verification: %j)',
    async (authRequireEmail) => {
      await auth({ authRequireEmail });
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          site.post('auth/signup', { email: n % 2 ? ada : ada.toUpperCase(), password: `password ${n}` }),
        ),
      );
      const { users } = await done(app, 'site/getAppUsers', { projectId: site.projectId });
      expect(users.map(({ email }: { email: string }) => email)).toEqual([ada]);
      const made = answers.filter(({ body }) => body.user?.id === users[0].id);
      expect(made).toHaveLength(1);
      // 503 means that the password hash queue is full, and 429 that the address has used its 20 sign-ups an hour.
      const others = new Set(answers.filter((one) => one !== made[0]).map(({ status }) => status));
      for (const status of others) expect(authRequireEmail ? [200, 503, 429] : [409, 503, 429]).toContain(status);
    },
  );

  it('gives users of two sites the same email', async () => {
    const other = await siteVisitors(app);
    for (const one of [site, other]) {
      expect((await one.post('auth/signup', { email: ada, password })).status).toBe(200);
    }
  });

  const half = String.fromCharCode(0xd800);
  it.each([
    [{ email: 'ada', password }],
    [{ email: `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(62)}`, password }],
    [{ email: 'a@example.com, b@example.com', password }],
    [{ email: 'Ada <ada@example.com>', password }],
    [{ email: '"ada@home"@example.com', password }],
    [{ email: `ada\n@example.com`, password }],
    [{ email: `ada${half}@example.com`, password }],
    [{ email: [ada], password }],
    [{ email: ada, password: 'seven77' }],
    [{ email: ada, password: half.repeat(8) }],
    [{ email: ada, password: 'x'.repeat(1_001) }],
    [{ email: ada, password: 12_345_678 }],
    [{ email: ada, password: null }],
    [{ email: ada }],
    [{ email: ada, password, name: '' }],
    [{ email: ada, password, name: 'two\nlines' }],
    [{ email: ada, password, isBanned: false }],
    [{ email: ada, password, roleIds: [] }],
    [{ email: ada, password, constructor: null }],
    [[]],
    ['text'],
    [null],
  ])('refuses a sign-up with %j', async (body) => {
    expect((await site.post('auth/signup', body)).status).toBe(400);
  });

  it.each([
    ['8 characters', 'eight888'],
    ['1,000 characters', 'x'.repeat(1_000)],
    ['letters of other scripts', '密码密码密码密码'],
    ['the accent in one character, or in two', 'résumé-résumé'],
  ])('accepts a password with %s', async (_, word) => {
    expect((await site.post('auth/signup', { email: ada, password: word })).status).toBe(200);
    expect(await site.logIn(ada, word.normalize('NFD'))).toMatch(/^[\w-]{32}$/);
    expect(brief(await site.post('auth/login', { email: ada, password: `${word}x` }))).toEqual([401, 'log-in-failed']);
  });

  it('refuses a body of a million characters by its size', async () => {
    expect((await site.post('auth/signup', { email: ada, password: 'x'.repeat(1_048_576) })).status).toBe(413);
    expect((await site.post('auth/login', { email: ada, password: 'x'.repeat(1_000_001) })).status).toBe(413);
  });
});

describe('auth/profile', () => {
  let pass: string;
  beforeEach(async () => {
    await auth({
      authCustomFields: [
        { name: 'plan', type: 'text', required: true },
        { name: 'size', type: 'number' },
      ],
    });
    await site.user(ada, { name: 'Ada', customFields: { plan: 'basic', size: 7 } });
    pass = await site.logIn(ada);
  });
  const change = (body: object, token = pass) => site.post('auth/profile', body, token);
  const next = 'battery staple';

  it('changes the name and own fields, and answers the user', async () => {
    const { status, body } = await change({ name: 'Lady Ada', customFields: { plan: 'gold', size: null } });
    expect([status, body.name, body.customFields]).toEqual([200, 'Lady Ada', { plan: 'gold' }]);
    expect(await site.me(pass)).toEqual(body);
    expect((await change({})).body).toEqual(body);
  });

  it('requires a signed-in user', async () => {
    for (const token of ['', 'x'.repeat(32)]) {
      expect(brief(await change({ name: 'Eve' }, token))).toEqual([401, 'sign-in-required']);
    }
  });

  it('changes the password for users who know it, and ends their other sessions', async () => {
    const other = await site.logIn(ada);
    expect((await change({ password: next, currentPassword: password })).status).toBe(200);
    expect([(await site.me(pass))?.['email'], await site.me(other)]).toEqual([ada, null]);
    expect(brief(await site.post('auth/login', { email: ada, password }))).toEqual([401, 'log-in-failed']);
    expect(await site.logIn(ada, next)).toMatch(/^[\w-]{32}$/);
  });

  it('changes the password before the rest, because a busy service may refuse only that', async () => {
    const { body } = await change({ name: 'Lady Ada', password: next, currentPassword: password });
    expect(body.name).toBe('Lady Ada');
    const { events } = await done(app, 'audit/getHistory', { kind: 'appUser', id: body.id });
    const lastOf = (wanted: string) =>
      Math.max(...events.flatMap(({ type, position }: Shown) => (type === wanted ? [position] : [])));
    expect(lastOf('AppUserPasswordSet')).toBeLessThan(lastOf('AppUserUpdated'));
  });

  it('changes no password if the rest is too large', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    await auth({ authCustomFields: names.map((name) => ({ name, type: 'longText' })) });
    const large = (some: readonly string[]) => Object.fromEntries(some.map((name) => [name, 'x'.repeat(10_000)]));
    expect((await change({ customFields: large(names.slice(0, 6)) })).status).toBe(200);
    const both = { password: next, currentPassword: password, customFields: large(['g']) };
    expect(brief(await change(both))).toEqual([400, 'invalid-input']);
    expect(await site.logIn(ada)).toMatch(/^[\w-]{32}$/);
  });

  it('changes nothing without the right password', async () => {
    expect(brief(await change({ password: next, name: 'Eve' }))).toEqual([400, 'invalid-input']);
    const wrong = { password: next, currentPassword: 'wrong horse', name: 'Eve' };
    expect(brief(await change(wrong))).toEqual([401, 'current-password-wrong']);
    expect((await site.me(await site.logIn(ada)))?.['name']).toBe('Ada');
  });

  it('counts wrong passwords like failed log-ins', async () => {
    for (let n = 0; n < 10; n++) await change({ password: next, currentPassword: `wrong ${n}` });
    expect(brief(await change({ password: next, currentPassword: password }))).toEqual([429, 'sign-in-tries']);
    expect((await site.me(pass))?.['email']).toBe(ada);
  });

  it.each([
    [{ name: null }],
    [{ email: 'other@example.com' }],
    [{ customFields: { plan: null } }],
    [{ customFields: { size: 'large' } }],
    [{ customFields: { other: 1 } }],
    [{ password: 'seven77', currentPassword: password }],
    [{ isBanned: true }],
    [{ roleIds: ['role_1'] }],
  ])('refuses a profile of %j', async (body) => {
    expect((await change(body)).status).toBe(400);
  });
});
