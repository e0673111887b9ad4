import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.js';
import { done } from '../../support/people.js';
import { SiteClient, type SiteReply } from '../../support/sites/site-client.js';
import { SiteFunctionsScene } from '../../support/sites/site-functions.js';
import { visitorPassword as password, type SiteVisitors, siteVisitors } from '../../support/sites/site-visitors.js';

let app: TestApp;
let visitors: SiteVisitors;
let functions: SiteFunctionsScene;
let browser: SiteClient;
beforeAll(async () => {
  app = await startApp();
  await done(app, 'workspace/updateSettings', { versions: false });
}, 60_000);
afterAll(() => app.close());
beforeEach(async () => {
  visitors = await siteVisitors(app);
  functions = new SiteFunctionsScene(app, visitors.projectId);
  browser = new SiteClient(app, await hostOf(visitors.projectId));
  await visitors.user('ada@example.com');
});

const hostOf = async (id: string) => `${(await done(app, 'site/getProject', { id })).subdomain}.localhost:3000`;
const brief = ({ status, body }: SiteReply) => [status, body?.code];
const me = async () => (await browser.get('/api/auth/me')).body.user?.email;
const logIn = () => browser.post('/api/auth/login', { email: 'ada@example.com', password });

describe("the cookie of a site's visitor", () => {
  it('is set at sign-in on its own host, lasts as long as the session, and is deleted at sign-out', async () => {
    await done(app, 'site/updateProjectAuth', { id: visitors.projectId, authSessionHours: 2 });
    const { headers, body } = await logIn();
    const [cookie = ''] = headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/^site_pass=[A-Za-z0-9_-]{32}; Path=\/; Max-Age=(7200|719\d); HttpOnly; SameSite=Lax$/);
    expect(cookie).toContain(body.session.token);
    expect(await me()).toBe('ada@example.com');
    const token = browser.cookies.get('site_pass') ?? '';
    const out = await browser.post('/api/auth/logout');
    expect(out.headers['set-cookie']).toEqual(['site_pass=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax']);
    browser.cookies.set('site_pass', token);
    expect(await me()).toBeUndefined();
  });

  it('is set at sign-up too, and only on its own host', async () => {
    const signed = await browser.post('/api/auth/signup', { email: 'new@example.com', password });
    expect(signed.body.session.token).toBe(browser.cookies.get('site_pass'));
    const elsewhere = await visitors.post('auth/login', { email: 'ada@example.com', password });
    expect(elsewhere.headers.get('set-cookie')).toBeNull();
    const pass = elsewhere.body.session.token;
    const byCookie = await app.send('GET', `/api/app/${visitors.projectId}/auth/me`, undefined, {
      cookie: `site_pass=${pass}`,
    });
    expect(byCookie.body).toEqual({ user: null });
  });

  it('has no effect if it is made up, ended, or of another site', async () => {
    await logIn();
    const good = browser.cookies.get('site_pass') ?? '';
    const other = await siteVisitors(app);
    await other.user('eve@example.com');
    for (const value of ['x'.repeat(32), '', 'x', 'a=b', `${good}x`, await other.logIn('eve@example.com')]) {
      browser.cookies.set('site_pass', value);
      expect(await me()).toBeUndefined();
    }
    browser.cookies.set('site_pass', good);
    await done(app, 'site/resetSitePasses', { id: visitors.projectId });
    expect(await me()).toBeUndefined();
  });

  it('works only for pages of its own origin', async () => {
    await functions.create('whoami', 'return ctx.user?.email ?? null', {
      accessRules: { execute: { type: 'public', scope: 'everywhere' } },
    });
    await logIn();
    const call = async (headers: Record<string, string>) => {
      const answer = await browser.post('/api/functions/whoami', {}, headers);
      return answer.status === 200 ? answer.body.data : brief(answer);
    };
    expect(await call({})).toBe('ada@example.com');
    expect(await call({ origin: `http://${browser.host.toUpperCase()}` })).toBe('ada@example.com');
    const neighbour = await hostOf((await siteVisitors(app)).projectId);
    for (const origin of [
      `http://${neighbour}`,
      'null',
      'https://evil.example.com',
      `http://${browser.host}1`,
      'http://localhost:3000',
      '',
    ]) {
      expect([origin, await call({ origin })]).toEqual([origin, [403, 'origin-not-own']]);
    }
    const asked = await browser.get('/api/auth/me', { origin: `http://${neighbour}` });
    expect(brief(asked)).toEqual([403, 'origin-not-own']);
    browser.cookies.clear();
    expect(await call({ origin: `http://${neighbour}` })).toBeNull();
  });

  it('does not make a body of another type acceptable', async () => {
    await logIn();
    for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
      expect(brief(await browser.post('/api/auth/logout', {}, { 'content-type': type }))).toEqual([
        415,
        'media-type-not-supported',
      ]);
    }
  });
});

describe('a rule for the site only (AC-07)', () => {
  it('admits anonymous visitors from a page of the site, by Origin or Sec-Fetch-Site, and nobody from elsewhere', async () => {
    await functions.create('here', 'return 1', { accessRules: { execute: { type: 'public', scope: 'site' } } });
    await functions.create('anywhere', 'return 1', { accessRules: { execute: { type: 'public', scope: 'internet' } } });
    const statuses = async (headers: Record<string, string>) =>
      Promise.all(
        ['here', 'anywhere'].map(
          async (name) =>
            (
              await browser.send(`/api/functions/${name}`, {
                method: 'POST',
                body: '{}',
                headers: { 'content-type': 'application/json', ...headers },
              })
            ).status,
        ),
      );
    expect(await statuses({ origin: `http://${browser.host}` })).toEqual([200, 200]);
    expect(await statuses({ 'sec-fetch-site': 'same-origin' })).toEqual([200, 200]);
    expect(await statuses({})).toEqual([403, 200]);
    expect(await statuses({ origin: 'https://evil.example.com', 'sec-fetch-site': 'same-origin' })).toEqual([403, 200]);
    expect(await statuses({ 'sec-fetch-site': 'same-site' })).toEqual([403, 200]);
    expect((await visitors.post('functions/here', {}, undefined, { origin: `http://${browser.host}` })).status).toBe(
      403,
    );
  });
});

describe("the webhook of a site's function on the site's own host (Q-A39)", () => {
  it('runs for the user of the cookie, which code does not see', async () => {
    const code = 'return { user: ctx.user?.email ?? null, cookie: params._request.headers.cookie ?? null }';
    const { id } = await functions.create('hook', code, { accessRules: { execute: { type: 'authenticated' } } });
    const { token } = await done(app, 'automations/createWebhook', { functionId: id, kind: 'site' });
    await logIn();
    browser.cookies.set('theme', 'dark');
    for (const path of ['/api/automations/functions/webhook', '/api/webhook']) {
      const sent = await browser.post(`${path}/${token}`);
      expect(sent.body.data).toEqual({ user: 'ada@example.com', cookie: 'theme=dark' });
      const foreign = await browser.post(`${path}/${token}`, {}, { origin: 'https://evil.example.com' });
      expect(brief(foreign)).toEqual([403, 'origin-not-own']);
    }
    browser.cookies.set('site_pass', 'x'.repeat(32));
    expect(brief(await browser.post(`/api/webhook/${token}`))).toEqual([403, 'execute-refused']);
    const neighbour = new SiteClient(app, await hostOf((await siteVisitors(app)).projectId));
    expect(brief(await neighbour.post(`/api/webhook/${token}`))).toEqual([404, 'webhook-not-found']);
  });
});

describe('a webhook that a browser calls', () => {
  it('passes no cookie of the service to code, on any host, with or without the prefix of TLS', async () => {
    const { id } = await functions.create('seen', 'return params._request.headers.cookie ?? null', {
      accessRules: { execute: { type: 'public', scope: 'internet' } },
    });
    const { token } = await done(app, 'automations/createWebhook', { functionId: id, kind: 'site' });
    const names = [
      'countersign',
      'countersign-form',
      'site-form',
      'site_entry',
      'site_member',
      'site_pass',
      'site_sign_in',
    ];
    const own = names.flatMap((name) => [name, `__Host-${name}`]).map((name) => `${name}=${'x'.repeat(32)}`);
    const cookie = [...own, 'theme=dark', 'site_passed=1'].join('; ');
    const path = `/api/automations/functions/webhook/${token}`;
    const sent = await app.send('POST', path, '{}', { 'content-type': 'application/json', cookie });
    expect(sent.body.data).toBe('theme=dark; site_passed=1');
  });
});

describe('over TLS', () => {
  it('the cookie has a name that no neighbour can set', async () => {
    const own = await startApp({
      environment: { BASE_URL: 'https://api.example.org', APP_DOMAIN: 'sites.example.net' },
    });
    try {
      const site = await siteVisitors(own);
      await site.user('ada@example.com');
      const { subdomain } = await done(own, 'site/getProject', { id: site.projectId });
      const client = new SiteClient(own, `${subdomain}.sites.example.net`);
      const origin = `https://${client.host}`;
      const { headers, body } = await client.post(
        '/api/auth/login',
        { email: 'ada@example.com', password },
        { origin },
      );
      expect(headers['set-cookie']?.[0]).toMatch(/^__Host-site_pass=.*; HttpOnly; SameSite=Lax; Secure$/);
      expect((await client.get('/api/auth/me')).body.user.email).toBe('ada@example.com');
      // Cookies that a neighbouring site on the same domain could set, next to the real one or instead of it.
      await site.user('eve@example.com');
      client.cookies.set('site_pass', await site.logIn('eve@example.com'));
      expect((await client.get('/api/auth/me')).body.user.email).toBe('ada@example.com');
      client.cookies.clear();
      client.cookies.set('site_pass', body.session.token);
      expect((await client.get('/api/auth/me')).body.user).toBeNull();
    } finally {
      await own.close();
    }
  });
});
