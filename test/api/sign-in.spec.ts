import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { done } from '../support/people.js';
import { visitorPassword as password, type SiteVisitors, siteVisitors } from '../support/site-visitors.js';

let app: TestApp;
let site: SiteVisitors;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  site = await siteVisitors(app);
});

const auth = (settings: object) => done(app, 'site/updateProjectAuth', { id: site.projectId, ...settings });
const brief = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];
const ada = 'ada@example.com';

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
  it('signs in with the right password, and answers everything else with one sentence', async () => {
    const { id } = await site.user(ada);
    expect((await site.me(await site.logIn(' ADA@example.com ')))?.id).toBe(id);
    const wrong = await site.post('auth/login', { email: ada, password: 'wrong horse' });
    const unknown = await site.post('auth/login', { email: 'bob@example.com', password });
    expect(brief(wrong)).toEqual([401, 'sign-in-failed']);
    expect({ ...unknown.body, requestId: '' }).toEqual({ ...wrong.body, requestId: '' });
  });

  it('is refused while sign-in is off, and nobody is signed in meanwhile', async () => {
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
