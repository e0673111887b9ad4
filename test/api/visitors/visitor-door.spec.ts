import { afterEach, describe, expect, it } from '@jest/globals';
import { Clock } from '../../../src/ports/clock.port.js';
import { type Reply, startApp, type TestApp } from '../../support/app.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { done } from '../../support/people.js';
import { visitorPassword as password, type SiteVisitors, siteVisitors } from '../../support/sites/site-visitors.js';

let app: TestApp;
let site: SiteVisitors;
const start = async (environment: Record<string, string> = {}) => {
  const clock = { provide: Clock, useValue: new MadeUpClock(Date.now()) };
  app = await startApp({ environment, ...(environment['VISITOR_RATE'] ? { replacements: [clock] } : {}) });
  site = await siteVisitors(app);
};
afterEach(() => app.close());

const json = { 'content-type': 'application/json' };
const brief = ({ status, body }: Reply) => [status, body.code];
const path = (rest: string) => `/api/app/${site.projectId}/${rest}`;

describe("the visitors' API of a site", () => {
  it('accepts only JSON and POST, and reads with GET', async () => {
    await start();
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', '']) {
      const sent = await app.send('POST', path('auth/login'), '{}', type === '' ? {} : { 'content-type': type });
      expect(brief(sent)).toEqual([415, 'media-type-not-supported']);
    }
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
      const answer = await app.send(method, path('auth/login'));
      expect([...brief(answer), answer.headers.get('allow')]).toEqual([405, 'method-not-allowed', 'POST']);
    }
    const answer = await app.send('POST', path('auth/me'), '{}', json);
    expect([...brief(answer), answer.headers.get('allow')]).toEqual([405, 'method-not-allowed', 'GET']);
    expect((await app.send('POST', path('auth/logout'), '', json)).body).toEqual({ success: true });
  });

  it('answers for sites that are not published too, but not for unknown ones', async () => {
    await start();
    expect((await site.get('auth/me')).body).toEqual({ user: null });
    for (const projectId of ['proj_none', '__proto__', '%00', 'x'.repeat(100)]) {
      const answer = await app.send('GET', `/api/app/${projectId}/auth/me`);
      expect(answer.status).toBe(404);
    }
    await done(app, 'site/deleteProject', { id: site.projectId });
    expect(brief(await site.get('auth/me'))).toEqual([404, 'site-not-found']);
    expect(brief(await site.post('auth/login', { email: 'a@example.com', password }))).toEqual([404, 'site-not-found']);
  });

  it('answers errors as problem+json, and is not cached', async () => {
    await start();
    const answer = await site.post('auth/login', { email: 'a@example.com', password });
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(answer.body).toEqual({
      type: 'urn:problem:log-in-failed',
      title: expect.any(String),
      status: 401,
      detail: expect.any(String),
      code: 'log-in-failed',
      requestId: expect.any(String),
    });
    expect((await site.get('auth/me')).headers.get('cache-control')).toBe('no-store');
  });

  it('lets no page of another origin read its answers, and sets no cookie', async () => {
    await start();
    await site.user('ada@example.com');
    const elsewhere = { origin: 'https://elsewhere.example.com' };
    const answers = [
      await site.post('auth/login', { email: 'ada@example.com', password }, undefined, elsewhere),
      await app.send('OPTIONS', path('auth/login'), undefined, {
        ...elsewhere,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      }),
    ];
    for (const { headers } of answers) {
      const names = [...headers.keys()];
      expect(names.filter((name) => name.startsWith('access-control') || name === 'set-cookie')).toEqual([]);
    }
  });

  it('lets pages of origins that the site names read its answers, without cookies', async () => {
    await start();
    await site.user('ada@example.com');
    const { body } = await app.call('site/updateProjectAuth', {
      id: site.projectId,
      allowedOrigins: ['https://App.example.com/', 'http://localhost:5173', 'https://app.example.com'],
    });
    expect(body.allowedOrigins).toEqual(['https://app.example.com', 'http://localhost:5173']);
    const origin = 'https://app.example.com';
    const asked = await app.send('OPTIONS', path('auth/login'), undefined, {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    });
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, origin]);
    expect(asked.headers.get('access-control-allow-headers')).toBe('Content-Type, X-Site-Session, X-Page-Id');
    const answer = await site.post('auth/login', { email: 'ada@example.com', password }, undefined, { origin });
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    const refused = await site.post('auth/login', { email: 'ada@example.com', password: 'wrong one' }, undefined, {
      origin,
    });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, origin]);
    for (const { headers } of [asked, answer]) {
      expect([headers.get('access-control-allow-credentials'), headers.get('vary')]).toEqual([null, 'Origin']);
    }
    for (const other of ['https://app.example.com.evil.example', 'http://app.example.com', 'null']) {
      expect(
        (await site.get('auth/me', undefined, { origin: other })).headers.get('access-control-allow-origin'),
      ).toBeNull();
    }
    for (const wrong of [
      '*',
      'null',
      'app.example.com',
      'https://a.example/x',
      'https://*.example.com',
      'javascript:x',
      'https://u@a.example',
    ]) {
      const sent = await app.call('site/updateProjectAuth', { id: site.projectId, allowedOrigins: [wrong] });
      expect([wrong, ...brief(sent)]).toEqual([wrong, 400, 'invalid-input']);
    }
  });

  it('accepts a pass in its header only, and no key of the API', async () => {
    await start();
    await site.user('ada@example.com');
    const pass = await site.logIn('ada@example.com');
    for (const headers of [{ cookie: `site_pass=${pass}` }, { authorization: `Bearer ${pass}` }]) {
      expect((await site.get('auth/me', undefined, headers)).body.user).toBeNull();
    }
    const owner = { authorization: `Bearer ${app.ownerKey}` };
    expect((await site.get('auth/me', undefined, owner)).body.user).toBeNull();
    expect((await app.call('site/getProject', { id: site.projectId }, pass)).status).toBe(401);
  });

  it('accepts a limited number of calls per second from an address, and for a site', async () => {
    await start({ VISITOR_RATE: '2', SITE_RATE: '3', TRUST_PROXY: '1' });
    const me = (address: string) => site.get('auth/me', undefined, { 'x-forwarded-for': address });
    const statuses = async (count: number, address: string) => {
      const found: number[] = [];
      for (let n = 0; n < count; n++) found.push((await me(address)).status);
      return found;
    };
    const ok = (count: number) => Array.from({ length: count }, () => 200);
    expect(await statuses(10, '192.0.2.1')).toEqual(ok(10));
    const tooMany = await me('192.0.2.1');
    expect([...brief(tooMany), tooMany.headers.get('retry-after')]).toEqual([429, 'visitor-rate', '1']);
    expect(await statuses(5, '192.0.2.2')).toEqual(ok(5));
    expect(brief(await me('192.0.2.3'))).toEqual([429, 'site-rate']);
  });
});

describe("the processor's webhook address", () => {
  it('is not blocked by guesses of its tokens from elsewhere', async () => {
    await start({ VISITOR_RATE: '2', SITE_RATE: '100', TRUST_PROXY: '1' });
    const deliver = (address: string) =>
      app.send('POST', path('payments/processor-webhook/guess'), '{}', { ...json, 'x-forwarded-for': address });
    const found: unknown[] = [];
    for (let n = 0; n < 11; n++) found.push(brief(await deliver('192.0.2.1'))[1]);
    expect(found).toEqual([...Array.from({ length: 10 }, () => 'processor-webhook-not-found'), 'visitor-rate']);
    expect(brief(await deliver('192.0.2.2'))).toEqual([404, 'processor-webhook-not-found']);
  });
});

describe('for any input', () => {
  const bodies = [
    '',
    '{',
    '[]',
    '"x"',
    'null',
    '{"email":{"$ne":null},"password":{"$ne":null}}',
    '{"__proto__":{"email":"a@example.com"},"password":"x"}',
    '{"email":"\\u0000","password":"\\ud800","token":"\\ud800"}',
    `{"email":"${'x'.repeat(4_001)}","password":"x"}`,
    '['.repeat(10_000) + ']'.repeat(10_000),
    '{"token":1}',
    '{"token":"x","password":"long enough"}',
  ];

  it('is answered below 500 at every address of sign-in', async () => {
    await start();
    const names = ['signup', 'login', 'logout', 'verify-email', 'resend-verification', 'forgot-password'];
    for (const name of [...names, 'reset-password', 'profile', 'guest']) {
      for (const body of bodies) {
        const { status } = await app.send('POST', path(`auth/${name}`), body, json);
        expect([name, body.slice(0, 50), status < 500]).toEqual([name, body.slice(0, 50), true]);
      }
      const broken = await app.send('POST', path(`auth/${name}`), new Uint8Array([0x7b, 0xff, 0x7d]), json);
      expect([name, broken.status]).toEqual([name, 400]);
    }
  });
});
