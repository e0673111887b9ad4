import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { MadeUpDeployments, type MadeUpSite, madeUpSite, shownPages } from '../../support/sites/made-up-deployments.js';

let app: TestApp;
let deployments: MadeUpDeployments;
beforeAll(async () => {
  app = await sharedApp();
  deployments = new MadeUpDeployments(app);
}, 60_000);
afterAll(() => app.close());

const site = (paths: readonly string[], auth: object = {}) => madeUpSite(app, deployments, paths, auth);
const publish = (one: MadeUpSite, facts = {}, mark = '') => deployments.publish(one.id, shownPages(one), facts, mark);

const rule = (pageId: string | undefined, read?: unknown) =>
  done(app, 'site/setPageAccessRules', { pageId, accessRules: read === undefined ? {} : { read } });

const statusOf = async ({ client }: MadeUpSite, path: string) => (await client.get(path)).status;
const dataOf = (text: string) => JSON.parse(/id="site-data">([^<]*)</.exec(text)?.[1] ?? 'null');

describe('a path of a site', () => {
  it('selects the page: static segments before patterns, one segment for each name', async () => {
    const one = await site(['/blog/:slug', '/blog/new', '/:year/archive', '/%C3%BCber-uns', '/404']);
    const pageAt = async (path: string) => {
      const { status, text } = await one.client.get(path);
      const { page, params } = dataOf(text) ?? {};
      return [status, Object.entries(one.pages).find(([, id]) => id === page)?.[0], params];
    };
    expect(await pageAt('/')).toEqual([200, '/', {}]);
    expect(await pageAt('/?x=1')).toEqual([200, '/', {}]);
    expect(await pageAt('/blog/new')).toEqual([200, '/blog/new', {}]);
    expect(await pageAt('/blog/n%65w')).toEqual([200, '/blog/new', {}]);
    expect(await pageAt('/blog/caf%C3%A9?a=b')).toEqual([200, '/blog/:slug', { slug: 'café' }]);
    expect(await pageAt('/2026/archive')).toEqual([200, '/:year/archive', { year: '2026' }]);
    expect((await pageAt('/%c3%bcber-uns')).slice(0, 2)).toEqual([200, '/%C3%BCber-uns']);
    expect(await pageAt('/blog/archive')).toEqual([200, '/blog/:slug', { slug: 'archive' }]);
    for (const path of [
      '/blog',
      '/blog/',
      '//blog/new',
      '/blog//new',
      '/blog/new/',
      '/blog/./new',
      '/blog/../blog/new',
      '/blog/%2e%2e/new',
      '/blog/a%2Fb',
      '/blog/a%5Cb',
      '/blog/%00',
      '/blog/%',
      '/blog/%C3',
      '/blog/a/b',
      '/Blog/new',
      '/404',
      `/${'a/'.repeat(400)}a`,
    ]) {
      expect([path, ...(await pageAt(path))]).toEqual([path, 404, '/404', {}]);
    }
  });

  it('can be read with GET and HEAD only', async () => {
    const one = await site([]);
    const head = await one.client.send('/', { method: 'HEAD' });
    expect([head.status, head.text, Number(head.headers['content-length']) > 500]).toEqual([200, '', true]);
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const { status, headers } = await one.client.send('/', { method });
      expect([method, status, headers.allow]).toEqual([method, 405, 'GET, HEAD']);
    }
  });

  it('is 404 with a plain page if the site has none of its own', async () => {
    const one = await site([]);
    const { status, text } = await one.client.get('/none');
    expect([status, text.includes('There is no such page here.')]).toEqual([404, true]);
  });
});

describe('who may read a page', () => {
  it('is judged at each request: rules, roles, bans, sign-out and deletion apply at once', async () => {
    const one = await site(['/members', '/team', '/owner', '/enter']);
    const { id: roleId } = await done(app, 'site/createProjectRole', { projectId: one.id, name: 'Team' });
    await rule(one.pages['/members'], { type: 'authenticated' });
    await rule(one.pages['/team'], { type: 'has_role', roleId });
    await rule(one.pages['/owner']);
    await rule(one.pages['/enter'], { type: 'has_role', roleId });
    const all = async () =>
      Promise.all(['/', '/members', '/team', '/owner', '/enter'].map((path) => statusOf(one, path)));
    expect(await all()).toEqual([200, 303, 303, 303, 303]);
    await done(app, 'site/updateProjectAuth', { id: one.id, authPaths: { login: '/enter' } });
    expect(await all()).toEqual([200, 303, 303, 303, 200]);

    const user = await one.visitors.user('ada@example.com');
    one.client.cookies.set('site_pass', await one.visitors.logIn('ada@example.com'));
    expect(await all()).toEqual([200, 200, 403, 403, 200]);
    await done(app, 'site/assignRoleToAppUser', { userId: user.id, roleId });
    expect(await all()).toEqual([200, 200, 200, 403, 200]);
    await rule(one.pages['/members'], { not: { type: 'has_role', roleId } });
    expect(await statusOf(one, '/members')).toBe(403);
    await done(app, 'site/updateAppUser', { projectId: one.id, userId: user.id, isBanned: true });
    expect(await all()).toEqual([200, 200, 303, 303, 200]);

    await done(app, 'site/deletePage', { id: one.pages['/team'] });
    expect(await statusOf(one, '/team')).toBe(404);
    await done(app, 'site/updateProjectAuth', { id: one.id, authEnabled: false });
    expect(await all()).toEqual([200, 200, 404, 200, 200]);
  });

  it('follows the flags of a page without saved rules', async () => {
    const one = await site(['/open', '/closed']);
    await done(app, 'site/updatePage', { id: one.pages['/closed'], isProtected: true });
    expect(await Promise.all(['/open', '/closed'].map((path) => statusOf(one, path)))).toEqual([200, 303]);
  });

  it("redirects signed-out visitors to sign in and back, and others to the site's page for them", async () => {
    const one = await site(['/a', '/b', '/denied']);
    await rule(one.pages['/a']);
    await rule(one.pages['/b']);
    const led = async (path: string) => {
      const { status, headers } = await one.client.get(path);
      return [status, headers.location, headers['cache-control']];
    };
    expect(await led('/a?x=1&y=//evil.example.com')).toEqual([
      303,
      `/login?next=${encodeURIComponent('/a?x=1&y=//evil.example.com')}`,
      'no-store',
    ]);
    await done(app, 'site/updateProjectAuth', { id: one.id, authPaths: { login: '/enter?from=a#form' } });
    expect((await led('/a'))[1]).toBe('/enter?from=a&next=%2Fa#form');
    const pages = Object.entries(one.pages).map(([path, id]) => ({ id, path, redirectIfUnauth: '/welcome' }));
    deployments.publish(one.id, pages);
    expect((await led('/a'))[1]).toBe('/welcome');
    for (const elsewhere of [
      '//evil.example.com',
      'https://evil.example.com',
      '/\\evil.example.com',
      'javascript:x',
      '',
    ]) {
      deployments.publish(
        one.id,
        pages.map((page) => ({ ...page, redirectIfUnauth: elsewhere })),
      );
      expect((await led('/a'))[1]).toBe('/enter?from=a&next=%2Fa#form');
    }
    await one.visitors.user('ada@example.com');
    one.client.cookies.set('site_pass', await one.visitors.logIn('ada@example.com'));
    expect(await statusOf(one, '/a')).toBe(403);
    await done(app, 'site/updateProjectAuth', { id: one.id, authPaths: { accessDenied: '/denied' } });
    expect((await led('/a')).slice(0, 2)).toEqual([303, '/denied']);
  });
});

describe('the HTML of a page', () => {
  it('describes the page, escaped, and contains nothing of pages that the visitor may not read', async () => {
    const one = await site(['/secret']);
    await rule(one.pages['/secret']);
    const odd = `</title><script>alert(1)</script>"'&`;
    const pages = Object.entries(one.pages).map(([path, id]) => ({
      id,
      path,
      title: `${odd}${path}`,
      html: '<b>hi</b>',
    }));
    const manifest = deployments.publish(one.id, pages, {
      name: odd,
      description: odd,
      logo: '/l"ogo.png',
      favicon: 'https://x.example/i.png',
    });
    const { text, headers } = await one.client.get('/');
    expect(text).toContain('<div id="root"><b>hi</b></div>');
    expect(text).not.toContain('<script>alert');
    expect(text).toContain('<html lang="en">');
    expect(text).toContain(`<link rel="canonical" href="http://${one.client.host.replace(':3000', '')}`);
    for (const part of [
      'og:title',
      'og:description',
      'og:image',
      'og:url',
      'rel="icon" href="https://x.example/i.png"',
      'theme-color',
    ]) {
      expect(text).toContain(part);
    }
    const secret = manifest.pages.find(({ path }) => path === '/secret');
    for (const hidden of ['/secret', secret?.script ?? '', secret?.styles ?? '', one.pages['/secret'] ?? '']) {
      expect(text).not.toContain(hidden);
    }
    expect(dataOf(text)).toEqual({
      user: null,
      pages: [expect.objectContaining({ path: '/', title: `${odd}/` })],
      projectId: one.id,
      base: '',
      page: one.pages['/'],
      params: {},
      isRendered: true,
      countsVisits: true,
      login: '/login',
    });
    const nonce = /'nonce-([^']+)'/.exec(String(headers['content-security-policy']))?.[1];
    expect([...text.matchAll(/<script(?! type="application\/json")[^>]*>/g)].map(([tag]) => tag)).toEqual([
      `<script type="module" nonce="${nonce}" src="/_site/${manifest.start}">`,
    ]);
    expect(headers).toMatchObject({
      'content-security-policy': expect.stringMatching(
        /^default-src 'self'; script-src 'self' 'nonce-[^']+'; .*frame-ancestors 'self'$/,
      ),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'strict-origin-when-cross-origin',
      'cache-control': 'private, no-cache',
      vary: 'Cookie',
    });
    expect((await one.client.get('/')).headers['content-security-policy']).not.toContain(nonce);
  });

  it('loads trackers only if the deployment has them, from their hosts only, and asks first', async () => {
    const one = await site([]);
    const seen = async (path = '/') => {
      const { text, headers } = await one.client.get(path);
      const scripts = /script-src ([^;]*)/.exec(String(headers['content-security-policy']))?.[1];
      return [text.includes('id="site-consent"'), text.includes('clarity'), scripts?.replace(/nonce-[^']*/, 'nonce')];
    };
    expect(await seen()).toEqual([false, false, "'self' 'nonce'"]);
    const analytics = { primaryAnalyticsId: null, secondaryAnalyticsId: 'abc<12', consentBanner: true };
    publish(one, { analytics });
    expect(await seen()).toEqual([true, true, "'self' 'nonce' https://www.clarity.ms"]);
    expect((await one.client.get('/')).text).toContain('"src":"https://www.clarity.ms/tag/abc%3C12"}], true)</script>');
    publish(one, { analytics: { ...analytics, primaryAnalyticsId: 'G-1234567890', consentBanner: false } });
    const both = "'self' 'nonce' https://www.googletagmanager.com https://www.clarity.ms";
    expect(await seen()).toEqual([false, true, both]);
  });

  it('has the badge if the site shows it', async () => {
    const one = await site([]);
    expect((await one.client.get('/')).text).toContain('Built with Countersign');
    publish(one, { showServiceBranding: false });
    expect((await one.client.get('/')).text).not.toContain('Built with');
  });

  it('is that of the new deployment as soon as it is live', async () => {
    const one = await site([]);
    expect((await one.client.get('/')).text).not.toContain('other name');
    publish(one, { name: 'other name' });
    expect((await one.client.get('/')).text).toContain('other name');
    deployments.unpublish(one.id);
    expect(await statusOf(one, '/')).toBe(404);
  });
});

describe('other files of a site', () => {
  it('list for search engines what everybody may read', async () => {
    const one = await site(['/open', '/blog/:slug', '/secret', '/login', '/404'], {
      authPaths: { login: '/login?from=site' },
    });
    await rule(one.pages['/secret']);
    const origin = `http://${one.client.host.replace(/:.*/, '')}`;
    const map = (await one.client.get('/sitemap.xml')).text;
    expect([...map.matchAll(/<loc>([^<]*)</g)].map(([, address = '']) => new URL(address).pathname)).toEqual([
      '/',
      '/open',
    ]);
    expect(map).toContain(`<loc>${origin}`);
    expect((await one.client.get('/robots.txt')).text).toMatch(
      /^User-agent: \*\nDisallow: \/api\/\n[\s\S]*Sitemap: http.*\/sitemap\.xml\n$/,
    );
  });

  it('include a manifest and a service worker if it can be installed', async () => {
    const one = await site([]);
    expect(await statusOf(one, '/manifest.webmanifest')).toBe(404);
    expect(await statusOf(one, '/service-worker.js')).toBe(404);
    publish(one, { pwaEnabled: true, appDisplayName: 'The Shop', orientation: 'portrait', appIcon: '/icon.png' });
    expect(JSON.parse((await one.client.get('/manifest.webmanifest')).text)).toMatchObject({
      name: 'The Shop',
      start_url: '/',
      orientation: 'portrait',
      icons: [{ src: '/icon.png' }],
    });
    const worker = await one.client.get('/service-worker.js');
    expect([worker.headers['content-type'], worker.headers['cache-control']]).toEqual([
      'text/javascript; charset=utf-8',
      'no-cache',
    ]);
    expect((await one.client.get('/')).text).toContain('rel="manifest"');
  });
});
