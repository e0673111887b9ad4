import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { MadeUpDeployments, madeUpSite, shownPages } from '../../support/sites/made-up-deployments.js';
import { SiteClient } from '../../support/sites/site-client.js';
import { hiddenIn, postForm, submitForm } from '../../support/sites/site-forms.js';
import { visitorPassword as password, siteVisitors } from '../../support/sites/site-visitors.js';

let app: TestApp;
let deployments: MadeUpDeployments;
beforeAll(async () => {
  app = await sharedApp();
  deployments = new MadeUpDeployments(app);
}, 60_000);
afterAll(() => app.close());

const email = 'ada@example.com';
const site = (paths: readonly string[] = [], auth: object = {}) => madeUpSite(app, deployments, paths, auth);
const alertsIn = (page: string) =>
  [...page.matchAll(/role="alert">([\s\S]*?)<\/div>/g)].map(([, text = '']) => text.replace(/<[^>]+>/g, ' ').trim());
const userOf = async (client: SiteClient) => (await client.get('/api/auth/me')).body.user;
const linkOf = (projectId: string, kind: string): Promise<string> =>
  eventually(
    async () => {
      const { mails } = await done(app, 'site/listOutgoingMail', { projectId });
      return mails.find((mail: { kind: string }) => mail.kind === kind)?.link;
    },
    (link) => link !== undefined,
  );

describe('on the host of a site without such pages', () => {
  it('/signup creates a user without a script, asks for custom fields and redirects', async () => {
    const authCustomFields = [
      { name: 'age', label: 'Your age', type: 'integer', required: true },
      { name: 'plan', label: 'Plan', type: 'select', options: ['a "b"', 'c'] },
      { name: 'news', label: 'News', type: 'boolean' },
    ];
    const { client } = await site(['/members'], { authCustomFields });
    const ada = { email, password, name: 'Ada', 'field.age': '36', 'field.plan': 'a "b"', 'field.news': 'true' };
    const wrong = await submitForm(client, '/signup', { ...ada, 'field.age': 'young', password: 'short' });
    expect([wrong.status, alertsIn(wrong.text)]).toEqual([400, [expect.stringContaining('The password must')]]);
    expect(wrong.text).toContain(`value="${email}"`);
    expect(wrong.text).not.toContain('short');
    const numberless = await submitForm(client, '/signup', { ...ada, 'field.age': 'young' });
    expect(alertsIn(numberless.text)).toEqual(['Your age must be a whole number, at most 2^53 - 1.']);
    const { status, headers } = await submitForm(client, '/signup?next=/members', ada);
    expect([status, headers.location, headers['referrer-policy']]).toEqual([303, '/members', 'no-referrer']);
    expect(await userOf(client)).toMatchObject({
      email,
      name: 'Ada',
      customFields: { age: 36, plan: 'a "b"', news: true },
    });
    expect((await client.get('/signup?next=/members')).headers.location).toBe('/members');
  });

  it('/login signs in, ends the former session, and explains a failure', async () => {
    const { client, visitors } = await site([], { authPaths: { afterLogin: '/home' } });
    await visitors.user(email);
    const wrong = await submitForm(client, '/login', { email, password: 'wrong horse' });
    expect([wrong.status, alertsIn(wrong.text)]).toEqual([
      401,
      ['The email or the password is wrong; check both, or reset the password.'],
    ]);
    expect(wrong.headers['www-authenticate']).toBeUndefined();
    const first = await submitForm(client, '/login', { email, password });
    expect([first.status, first.headers.location]).toEqual([303, '/home']);
    const pass = client.cookies.get('site_pass') ?? '';
    const { text } = await new SiteClient(app, client.host).get('/login');
    expect(hiddenIn(text)).toMatchObject({ next: '/home' });
    expect((await client.get('/signup')).headers.location).toBe('/home');
    expect(await visitors.me(pass)).toMatchObject({ email });
    // Signs in again from a form that was opened before.
    const other = new SiteClient(app, client.host);
    const form = hiddenIn((await other.get('/login')).text);
    other.cookies.set('site_pass', pass);
    expect((await postForm(other, '/login', { ...form, email, password })).status).toBe(303);
    expect(await visitors.me(pass)).toBeNull();
  });

  it('the path after sign-in or sign-out redirects to / while the site has no page there', async () => {
    const authPaths = { afterLogin: '/inside?tab=1', afterLogout: '/bye' };
    const { client, visitors, id, pages } = await site([], { authPaths });
    await visitors.user(email);
    const { headers } = await submitForm(client, '/login', { email, password });
    expect(headers.location).toBe('/inside?tab=1');
    const led = async (path: string) => {
      const answer = await client.get(path);
      return [answer.status, answer.headers.location];
    };
    expect(await led('/inside?tab=1')).toEqual([303, '/']);
    expect(await led('/bye')).toEqual([303, '/']);
    expect(await led('/insid')).toEqual([404, undefined]);
    const content = 'export default () => <p>Inside</p>;';
    const { id: pageId } = await done(app, 'site/createPage', {
      projectId: id,
      name: 'Inside',
      path: '/inside',
      content,
    });
    deployments.publish(id, shownPages({ pages: { ...pages, '/inside': pageId } }));
    expect(await led('/inside?tab=1')).toEqual([200, undefined]);
    await done(app, 'site/deletePage', { id: pageId });
    expect(await led('/inside')).toEqual([303, '/']);
    // With no home page, the redirect to it must not loop.
    deployments.publish(id, []);
    expect(await led('/')).toEqual([404, undefined]);
    await done(app, 'site/updateProjectAuth', { id, authPaths: { afterLogin: null } });
    expect(await led('/inside')).toEqual([404, undefined]);
  });

  it.each(['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)', '/a b'])(
    'no form redirects to another site: %s',
    async (next) => {
      const { client, visitors } = await site();
      await visitors.user(email);
      const { headers } = await submitForm(client, `/login?next=${encodeURIComponent(next)}`, { email, password });
      expect(headers.location).toBe('/');
      client.cookies.delete('site_pass');
      const sent = await submitForm(client, '/login', { email, password, next });
      expect(sent.headers.location).toBe('/');
    },
  );

  it('a form is valid only in the browser that got it, from its own host and as a form', async () => {
    const { client, visitors } = await site();
    await visitors.user(email);
    const form = { ...hiddenIn((await client.get('/login')).text), email, password };
    const stranger = new SiteClient(app, client.host);
    const statuses = [
      await postForm(stranger, '/login', form),
      await postForm(client, '/login', { ...form, form: 'x' }),
      await postForm(client, '/login', form, { 'sec-fetch-site': 'same-site' }),
      await postForm(client, '/login', form, { origin: 'http://neighbour.localhost:3000' }),
      await postForm(client, '/login', form, { origin: new URL(app.url).origin }),
      await postForm(client, '/login', form, { 'content-type': 'text/plain' }),
    ].map(({ status, headers }) => [status, headers['set-cookie']?.some((line) => line.startsWith('site_pass'))]);
    expect(statuses.map(([status]) => status)).toEqual([403, 403, 403, 403, 403, 415]);
    expect(statuses.some(([, isSignedIn]) => isSignedIn)).toBe(false);
    expect((await postForm(client, '/login', form, { origin: `http://${client.host}` })).status).toBe(303);
  });

  it('a forgotten password is reset by the mailed link', async () => {
    const { id, client, visitors } = await site();
    await visitors.user(email);
    for (const address of ['nobody@example.com', email]) {
      const asked = await submitForm(client, '/forgot-password', { email: address });
      expect([asked.status, asked.text.includes('Check your mail')]).toEqual([200, true]);
    }
    const { searchParams } = new URL(await linkOf(id, 'reset'));
    const address = `/reset-password?token=${searchParams.get('token')}`;
    expect((await submitForm(client, address, { password: 'short' })).status).toBe(400);
    const set = await submitForm(client, address, { password: 'battery staple' });
    expect([set.status, set.text.includes('Your new password is set')]).toEqual([200, true]);
    const again = await submitForm(client, address, { password: 'battery staple' });
    expect([again.status, alertsIn(again.text)]).toEqual([400, [expect.stringContaining('This link does not work')]]);
    expect(again.text).toContain('href="/forgot-password"');
    await visitors.logIn(email, 'battery staple');
  });

  it('pages of the site have priority, others need sign-in, and other methods are refused', async () => {
    const own = await site(['/login', '/:any']);
    expect((await own.client.get('/login')).text).toContain('<p>/login</p>');
    expect((await own.client.send('/login', { method: 'POST' })).status).toBe(405);
    expect((await own.client.get('/signup')).text).toContain('<h1>Sign up</h1>');
    expect((await own.client.get('/signup/')).status).toBe(404);
    expect((await own.client.get('/api/verify-email')).status).toBe(404);
    const off = await site([], { authEnabled: false });
    for (const path of ['/login', '/signup', '/forgot-password', '/reset-password', '/verify-email']) {
      expect([path, (await off.client.get(path)).status]).toEqual([path, 404]);
    }
    const closed = await site([], { authAllowSignup: false });
    expect((await closed.client.get('/signup')).text).toContain('does not accept new users at present');
    expect((await closed.client.get('/login')).text).not.toContain('/signup');
    const form = hiddenIn((await closed.client.get('/login')).text);
    expect((await postForm(closed.client, '/signup', { ...form, email, password })).status).toBe(403);
  });

  it('are at the paths of authPaths if the site has no page there', async () => {
    const authPaths = {
      login: '/enter?from=site',
      signup: '/join/us',
      accessDenied: '/denied',
      verifyEmail: '/by/:way',
    };
    const { id, client, visitors, pages } = await site(['/enter', '/join/:how', '/secret'], { authPaths });
    const titled = async (path: string) => /<title>([^<]*)/.exec((await client.get(path)).text)?.[1];
    expect([await titled('/enter'), await titled('/join/us')]).toEqual(['Page /enter', 'Page /join/:how']);
    for (const path of ['/enter', '/join/:how']) await done(app, 'site/deletePage', { id: pages[path] });
    expect([await titled('/enter'), await titled('/join/us')]).toEqual(['Sign in · Shop', 'Sign up · Shop']);
    expect((await client.get('/login')).text).toContain('href="/join/us"');
    await done(app, 'site/setPageAccessRules', { pageId: pages['/secret'], accessRules: {} });
    expect((await client.get('/secret')).headers.location).toBe('/enter?from=site&next=%2Fsecret');
    await visitors.user(email);
    const entered = await submitForm(client, '/enter?next=/secret', { email, password });
    expect([entered.status, entered.headers.location]).toEqual([303, '/secret']);
    const denied = await client.get('/secret');
    expect([denied.status, denied.text.includes('you may not view this page')]).toEqual([403, true]);
    deployments.release(id, '1.0.0', shownPages({ pages: { '/': pages['/'] ?? '' } }));
    const led = await client.get(`/releases/${id}/1.0.0/enter?next=/x`);
    expect([led.status, led.headers.location]).toEqual([303, '/enter?next=/x']);
  });

  it('are at the paths of authPaths for visitors who may not read the page with a pattern that catches them', async () => {
    const authPaths = { login: '/signin', signup: '/join', afterLogin: '/дом' };
    const { client, visitors, pages } = await site(['/:slug'], { authPaths });
    const shown = async (path: string) => {
      const { status, headers, text } = await client.get(path);
      return [status, headers.location ?? /<title>([^<]*)/.exec(text)?.[1]];
    };
    expect(await shown('/signin')).toEqual([200, 'Page /:slug']);
    await done(app, 'site/updatePage', { id: pages['/:slug'], isProtected: true });
    expect(await shown('/x')).toEqual([303, '/signin?next=%2Fx']);
    expect(await shown('/signin?next=%2Fx')).toEqual([200, 'Sign in · Shop']);
    expect(await shown('/join')).toEqual([200, 'Sign up · Shop']);
    await visitors.user(email);
    const { status, headers } = await submitForm(client, '/signin?next=%2Fx', { email, password });
    expect([status, headers.location]).toEqual([303, '/x']);
    expect([await shown('/x'), await shown('/signin')]).toEqual([
      [200, 'Page /:slug'],
      [200, 'Page /:slug'],
    ]);
    expect(await shown('/login')).toEqual([303, '/%D0%B4%D0%BE%D0%BC']);
  });

  it('lead no signed-in visitor back and forth who may not read the page with a pattern', async () => {
    const authPaths = { login: '/enter', accessDenied: '/enter', afterLogin: '/enter' };
    const { client, visitors, pages } = await site(['/', '/:slug'], { authPaths });
    for (const pageId of Object.values(pages)) {
      await done(app, 'site/setPageAccessRules', {
        pageId,
        accessRules: { read: { type: 'has_entitlement', key: 'pro' } },
      });
    }
    await visitors.user(email);
    expect((await client.get('/enter')).text).toContain('<title>Sign in · Shop');
    const { status, headers } = await submitForm(client, '/enter', { email, password });
    expect([status, headers.location]).toEqual([303, '/enter']);
    expect((await client.get('/enter')).status).toBe(403);
    expect((await client.get('/')).headers.location).toBe('/enter');
  });

  it.each([
    ['has a query', '/sign-in', '/sign-in?from=site', '/sign-in?from=site&next=%2Fx'],
    ['has other letters', '/%D0%B2%D1%85%D0%BE%D0%B4', '/вход', '/%D0%B2%D1%85%D0%BE%D0%B4?next=%2Fx'],
    ['is spelt with escapes', '/enter', '/%65nter', '/%65nter?next=%2Fx'],
  ])('leave a path of authPaths to the protected page at it, if the path %s', async (_, path, login, location) => {
    const { client, pages } = await site(['/x', path], { authPaths: { login } });
    for (const id of [pages['/x'], pages[path]]) await done(app, 'site/updatePage', { id, isProtected: true });
    expect((await client.get('/x')).headers.location).toBe(location);
    const { status, text } = await client.get(location);
    expect([status, text.includes(`<title>Page ${path}`)]).toEqual([200, true]);
  });

  it('are at /login for visitors who may not read the page of the site there', async () => {
    const { id, client, pages } = await site(['/login', '/signup']);
    for (const path of ['/login', '/signup']) {
      await done(app, 'site/updatePage', { id: pages[path], isProtected: true });
    }
    expect((await client.get('/signup')).headers.location).toBe('/login?next=%2Fsignup');
    expect((await client.get('/login?next=%2Fsignup')).text).toContain('<title>Sign in · Shop');
    await done(app, 'site/updateProjectAuth', { id, authPaths: { login: '/enter' } });
    expect((await client.get('/login')).headers.location).toBe('/enter?next=%2Flogin');
  });

  it('show no name or field as HTML, run only their own scripts, and cannot be framed', async () => {
    const evil = '</title><script>alert(1)</script>';
    const { id, client } = await site([], { authCustomFields: [{ name: 'x', label: evil, type: 'text' }] });
    await done(app, 'site/updateProject', { id, name: evil });
    const { text, headers } = await client.get(`/signup?email=${encodeURIComponent('"><img src=x>')}`);
    expect(text).not.toMatch(/<script>alert|<img/);
    expect(text).toContain('&lt;script&gt;alert(1)');
    const policy = String(headers['content-security-policy']);
    expect(policy).toMatch(/default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers['cache-control']).toBe('no-store');
  });
});

describe('while a site is not published, a mailed link', () => {
  it('opens a page of the platform that verifies the email once its button is pressed', async () => {
    const visitors = await siteVisitors(app, { authRequireEmail: true, authPaths: { verifyEmail: '/welcome' } });
    const { projectId } = visitors;
    await visitors.post('auth/signup', { email, password });
    const link = new URL(await linkOf(projectId, 'verify'));
    expect(link.pathname).toBe(`/api/app/${projectId}/verify-email`);
    const client = new SiteClient(app, new URL(app.url).host);
    const address = link.pathname + link.search;
    const { text, headers } = await client.get(address);
    expect([text.includes('Verify my email'), headers['referrer-policy']]).toEqual([true, 'no-referrer']);
    expect((await visitors.post('auth/login', { email, password })).status).toBe(401);
    const verified = await submitForm(client, address, {});
    expect([verified.status, verified.text.includes('Your email is verified')]).toEqual([200, true]);
    await visitors.logIn(email);
    const again = await submitForm(client, address, {});
    expect([again.status, again.text.includes('Send the link')]).toEqual([400, true]);
    const asked = await submitForm(client, link.pathname, { email });
    expect([asked.status, asked.text.includes('Check your mail')]).toEqual([200, true]);
  });

  it('opens a page that sets a new password, but none without sign-in or a site', async () => {
    const visitors = await siteVisitors(app);
    const { projectId } = visitors;
    await visitors.user(email);
    await visitors.post('auth/forgot-password', { email });
    const link = new URL(await linkOf(projectId, 'reset'));
    expect(link.pathname).toBe(`/api/app/${projectId}/reset-password`);
    const client = new SiteClient(app, new URL(app.url).host);
    const set = await submitForm(client, link.pathname + link.search, { password: 'battery staple' });
    expect([set.status, set.text.includes('href=')]).toEqual([200, false]);
    await visitors.logIn(email, 'battery staple');
    await done(app, 'site/updateProjectAuth', { id: projectId, authEnabled: false });
    expect((await client.get(link.pathname)).body.code).toBe('sign-in-off');
    expect((await client.get('/api/app/proj_none/reset-password')).status).toBe(404);
    expect((await client.send(link.pathname, { method: 'DELETE' })).status).toBe(405);
  });

  it('to sign in shows that the site is not published, and accepts nothing', async () => {
    const visitors = await siteVisitors(app, { authRequireEmail: true, authPaths: { login: '/enter' } });
    const { projectId } = visitors;
    await visitors.user(email);
    await visitors.post('auth/signup', { email, password });
    const link = new URL(await linkOf(projectId, 'taken'));
    expect(link.pathname).toBe(`/api/app/${projectId}/login`);
    const client = new SiteClient(app, new URL(app.url).host);
    const { status, text, headers } = await client.get(link.pathname);
    expect([status, text.includes('is not published at present'), text.includes('<form')]).toEqual([200, true, false]);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect((await postForm(client, link.pathname, { email, password })).status).toBe(405);
    await done(app, 'site/updateProjectAuth', { id: projectId, authEnabled: false });
    expect((await client.get(link.pathname)).body.code).toBe('sign-in-off');
  });
});
