import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SiteManifest } from '../../../src/areas/sites/publication/served-deployments.api.js';
import type { TestApp } from '../../support/app.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { MadeUpDeployments, type MadeUpSite, madeUpSite, shownPages } from '../../support/sites/made-up-deployments.js';
import { SiteClient, type SiteReply } from '../../support/sites/site-client.js';

let app: TestApp;
let deployments: MadeUpDeployments;
beforeAll(async () => {
  app = await sharedApp();
  deployments = new MadeUpDeployments(app);
}, 60_000);
afterAll(() => app.close());

const site = (paths: readonly string[] = []) => madeUpSite(app, deployments, paths);
const publish = (one: MadeUpSite, mark = '') => deployments.publish(one.id, shownPages(one), {}, mark);
const rule = (pageId: string | undefined, read?: unknown) =>
  done(app, 'site/setPageAccessRules', { pageId, accessRules: read === undefined ? {} : { read } });
const scriptOf = (manifest: SiteManifest, of: string) => manifest.pages.find(({ path }) => path === of)?.script ?? '';
const cacheOf = ({ status, headers }: SiteReply) => [status, headers['cache-control']];
const forever = 'public, max-age=31536000, immutable';
const own = 'private, no-cache';

describe('an asset', () => {
  it('is sent as it was stored: compressed, with its type and a strong ETag', async () => {
    const one = await site();
    const name = scriptOf(publish(one), '/');
    const get = (headers = {}) => one.client.get(`/_site/${name}`, headers);
    const plain = await get();
    expect(plain.text).toMatch(/^script of page_/);
    expect(plain.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': forever,
      vary: 'Accept-Encoding',
      'x-content-type-options': 'nosniff',
      'content-length': String(plain.bytes.length),
    });
    const tags = new Set([plain.headers.etag]);
    for (const [accepted, sent, open] of [
      ['gzip, deflate, br', 'br', brotliDecompressSync],
      ['gzip;q=0.5, br;q=0', 'gzip', gunzipSync],
    ] as const) {
      const { headers, bytes } = await get({ 'accept-encoding': accepted });
      expect([headers['content-encoding'], open(bytes).toString()]).toEqual([sent, plain.text]);
      tags.add(headers.etag);
    }
    expect([...tags].every((tag) => /^"[^"]+"$/.test(tag ?? '')) && tags.size).toBe(3);
    const head = await one.client.send(`/_site/${name}`, { method: 'HEAD' });
    expect([head.status, head.bytes.length, head.headers['content-length']]).toEqual([
      200,
      0,
      plain.headers['content-length'],
    ]);
  });

  it('is not sent again to browsers that have it', async () => {
    const one = await site();
    const path = `/_site/${scriptOf(publish(one), '/')}`;
    const { etag = '' } = (await one.client.get(path)).headers;
    for (const sent of [etag, `"other", ${etag}`, `W/${etag}`, '*']) {
      const again = await one.client.get(path, { 'if-none-match': sent });
      expect([again.status, again.bytes.length, again.headers.etag]).toEqual([304, 0, etag]);
    }
    expect((await one.client.get(path, { 'if-none-match': '"other"' })).status).toBe(200);
    expect((await one.client.get(path, { 'if-none-match': etag, 'accept-encoding': 'br' })).status).toBe(200);
  });

  it('is counted and timed in /metrics, by its kind and the outcome', async () => {
    const { client } = await site(['/secret']);
    const counts = async () => {
      const { text } = await new SiteClient(app, new URL(app.url).host).get('/metrics');
      const lines = text.matchAll(/^countersign_site_answer_seconds_count\{what="(\w+)",status="(\d+)"\} (\d+)$/gm);
      return new Map([...lines].map(([, what, status, count]) => [`${what} ${status}`, Number(count)]));
    };
    const before = await counts();
    const { text } = await client.get('/');
    const script = /src="([^"]*)"/.exec(text)?.[1] ?? '';
    await client.get(script);
    await client.get(script);
    await client.get('/_site/none.js');
    await client.get('/none');
    const after = await counts();
    const more = (key: string) => (after.get(key) ?? 0) - (before.get(key) ?? 0);
    expect(['page 200', 'page 404', 'asset 200', 'asset 404'].map(more)).toEqual([1, 1, 2, 1]);
  });

  it('is sent in one range, but not in several', async () => {
    const one = await site();
    const path = `/_site/${scriptOf(publish(one), '/')}`;
    const { text, headers } = await one.client.get(path);
    const get = (range: string, more = {}) => one.client.get(path, { range, ...more });
    for (const [range, from, to] of [
      ['bytes=0-9', 0, 10],
      ['bytes=10-', 10, text.length],
      ['bytes=-5', text.length - 5, text.length],
      ['bytes=5-999999', 5, text.length],
    ] as const) {
      const part = await get(range, { 'accept-encoding': 'br' });
      expect([range, part.status, part.text]).toEqual([range, 206, text.slice(from, to)]);
      expect(part.headers['content-range']).toBe(`bytes ${from}-${to - 1}/${text.length}`);
    }
    const bomb = `bytes=${Array.from({ length: 500 }, (_, n) => `${n}-`).join(',')}`;
    for (const range of [
      'bytes=99999-',
      'bytes=9-1',
      'bytes=-0',
      'bytes=-',
      'bytes=x',
      bomb,
      'bytes=0-1,3-4',
      `bytes=0-${'9'.repeat(400)}`,
    ]) {
      const refused = await get(range);
      expect([range.slice(0, 20), refused.status, refused.headers['content-range']]).toEqual([
        range.slice(0, 20),
        416,
        `bytes */${text.length}`,
      ]);
    }
    expect((await get('lines=1-2')).text).toBe(text);
    expect((await get('bytes=0-9', { 'if-range': headers.etag })).status).toBe(206);
    expect((await get('bytes=0-9', { 'if-range': '"other"' })).status).toBe(200);
  });

  it('is sent in pieces if it is large, whole or a range of it', async () => {
    const one = await site();
    const manifest = deployments.publish(one.id, [{ id: one.pages['/'] ?? '', path: '/', bytes: 2_500_000 }]);
    const path = `/_site/${scriptOf(manifest, '/')}`;
    const whole = await one.client.get(path, { 'accept-encoding': 'br' });
    expect([whole.status, whole.bytes.length, whole.headers['content-encoding']]).toEqual([200, 2_500_000, undefined]);
    const part = await one.client.get(path, { range: 'bytes=100-2000099' });
    expect([part.status, part.text === whole.text.slice(100, 2_000_100)]).toEqual([206, true]);
    const head = await one.client.send(path, { method: 'HEAD' });
    expect([head.status, head.headers['content-length'], head.bytes.length]).toEqual([200, '2500000', 0]);
  });

  it('is not found under another name, or at a site that does not have it', async () => {
    const [one, other] = [await site(), await site()];
    publish(one, 'one');
    const name = scriptOf(publish(other, 'other'), '/');
    for (const path of [
      `/_site/${name}`,
      '/_site/',
      '/_site/..',
      `/_site/../_site/${name}`,
      `//_site/${name}`,
      `/_site//${name}`,
      `/_site/${name}/`,
      '/_site/%2e%2e',
      '/_site/__proto__',
    ]) {
      expect([path, (await one.client.get(path)).status]).toEqual([path, 404]);
    }
    expect((await other.client.send(`/_site/${name}`, { method: 'POST' })).status).toBe(405);
  });
});

describe('the script of a protected page', () => {
  it('is sent to visitors who may read the page, and is not in shared caches', async () => {
    const one = await site(['/members', '/owner']);
    const manifest = publish(one);
    await rule(one.pages['/members'], { type: 'authenticated' });
    await rule(one.pages['/owner']);
    const get = async (path: string, headers = {}) => one.client.get(`/_site/${scriptOf(manifest, path)}`, headers);
    expect(cacheOf(await get('/'))).toEqual([200, forever]);
    expect([(await get('/members')).status, (await get('/owner')).status]).toEqual([404, 404]);
    const { id: userId } = await one.visitors.user('ada@example.com');
    one.client.cookies.set('site_pass', await one.visitors.logIn('ada@example.com'));
    const mine = await get('/members');
    expect([...cacheOf(mine), mine.headers.vary, mine.headers['cross-origin-resource-policy']]).toEqual([
      200,
      own,
      'Cookie, Accept-Encoding',
      'same-origin',
    ]);
    expect((await get('/members', { 'if-none-match': mine.headers.etag ?? '' })).status).toBe(304);
    expect(cacheOf(await get('/'))).toEqual([200, forever]);
    expect((await get('/owner')).status).toBe(404);
    await done(app, 'site/updateAppUser', { projectId: one.id, userId, isBanned: true });
    expect((await get('/members', { 'if-none-match': mine.headers.etag ?? '' })).status).toBe(404);
  });

  it('is not sent for a cookie that is made up, ended, planted or of another site, nor at another site for its own', async () => {
    const [one, other] = [await site(['/secret']), await site(['/secret'])];
    const manifests = [one, other].map((each) => publish(each));
    await rule(one.pages['/secret'], { type: 'authenticated' });
    await rule(other.pages['/secret'], { type: 'authenticated' });
    const [script = '', others = ''] = manifests.map((manifest) => `/_site/${scriptOf(manifest, '/secret')}`);
    await one.visitors.user('ada@example.com');
    await other.visitors.user('eve@example.com');
    const pass = await one.visitors.logIn('ada@example.com');
    const foreign = await other.visitors.logIn('eve@example.com');
    const by = async (cookie: string, { client } = one, path = script) => {
      const { status } = await client.get(path, { cookie });
      return status;
    };
    expect(await by(`site_pass=${pass}`)).toBe(200);
    for (const cookie of [
      `site_pass=${foreign}`,
      `site_pass=${'x'.repeat(32)}`,
      `site_pass=${pass.slice(1)}x`,
      `SITE_PASS=${pass}`,
      `__Host-site_pass=${pass}`,
      `site_member=${pass}; site_entry=${pass}`,
      `site_pass=${foreign}; site_pass=${pass}`,
      `site_pass="${pass}"`,
      `${'a=b; '.repeat(2_000)}site_pass=${foreign}`,
      `=; ;;site_pass; site_pass=${'\u00ff'.repeat(32)}`,
    ]) {
      expect([cookie.slice(0, 60), await by(cookie)]).toEqual([cookie.slice(0, 60), 404]);
      const page = await one.client.get('/secret', { cookie });
      expect([page.status, page.headers.location]).toEqual([303, '/login?next=%2Fsecret']);
    }
    const planted = await one.client.get(script, {
      cookie: `site_pass=${pass}`,
      origin: `http://${other.client.host}`,
    });
    expect(planted.headers['access-control-allow-origin']).toBeUndefined();
    // A pass of one site opens nothing on the host of another, under any path.
    for (const path of [script, others, `/releases/${one.id}/1.0.0/`, `/api/app/${one.id}/auth/me`]) {
      expect([path, await by(`site_pass=${pass}`, other, path)]).toEqual([path, 404]);
    }
    await one.visitors.post('auth/logout', {}, pass);
    expect(await by(`site_pass=${pass}`)).toBe(404);
  });

  it('is sent with shared code to visitors who may read one of the pages', async () => {
    const one = await site(['/members']);
    const shared = `/_site/${publish(one).pages[0]?.imports[0]}`;
    expect(cacheOf(await one.client.get(shared))).toEqual([200, forever]);
    await rule(one.pages['/members'], { type: 'authenticated' });
    await rule(one.pages['/']);
    expect((await one.client.get(shared)).status).toBe(404);
    await one.visitors.user('ada@example.com');
    one.client.cookies.set('site_pass', await one.visitors.logIn('ada@example.com'));
    expect(cacheOf(await one.client.get(shared))).toEqual([200, own]);
  });

  it('of an earlier deployment is sent under the present rules, until the site is unpublished', async () => {
    const one = await site(['/members']);
    const names = ['/', '/members'].map((path) => `/_site/${scriptOf(publish(one, 'old'), path)}`);
    publish(one, 'new');
    const statuses = () => Promise.all(names.map(async (name) => (await one.client.get(name)).status));
    expect(await statuses()).toEqual([200, 200]);
    await rule(one.pages['/members'], { type: 'authenticated' });
    expect(await statuses()).toEqual([200, 404]);
    deployments.unpublish(one.id);
    expect(await statuses()).toEqual([404, 404]);
  });
});

describe('/_site/pages', () => {
  it('names the visitor and the pages that they may read', async () => {
    const one = await site(['/members', '/owner']);
    await rule(one.pages['/members'], { type: 'authenticated' });
    await rule(one.pages['/owner']);
    const get = async () => {
      const { body, headers } = await one.client.get('/_site/pages');
      expect([headers['cache-control'], headers.vary]).toEqual(['private, no-store', 'Cookie']);
      return [body.user?.email, body.pages.map(({ path }: { path: string }) => path)];
    };
    expect(await get()).toEqual([undefined, ['/']]);
    await one.visitors.user('ada@example.com');
    one.client.cookies.set('site_pass', await one.visitors.logIn('ada@example.com'));
    expect(await get()).toEqual(['ada@example.com', ['/', '/members']]);
  });
});

describe('a release', () => {
  it('is served below its path with its pages, links and assets, under the present rules', async () => {
    const one = await site(['/members']);
    const manifest = deployments.release(one.id, '1.2.0-rc.1', shownPages(one));
    const base = `/releases/${one.id}/1.2.0-rc.1`;
    for (const path of [base, `${base}/`]) {
      const { status, text } = await one.client.get(path);
      expect(status).toBe(200);
      const addresses = [...text.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address = '']) => address);
      expect(addresses.length).toBeGreaterThan(3);
      expect(addresses.filter((address) => !address.startsWith(`${base}/_site/`))).toEqual(['data:,']);
      expect(text).toContain(`"base":"${base}"`);
      expect(text).toContain('noindex');
    }
    await rule(one.pages['/members'], { type: 'authenticated' });
    const led = await one.client.get(`${base}/members`);
    expect([led.status, led.headers.location]).toEqual([
      303,
      `${base}/login?next=${encodeURIComponent(`${base}/members`)}`,
    ]);
    expect((await one.client.get(`${base}/_site/${scriptOf(manifest, '/')}`)).status).toBe(200);
    expect((await one.client.get(`${base}/_site/${scriptOf(manifest, '/members')}`)).status).toBe(404);
    expect((await one.client.get(`${base}/_site/pages`)).body.pages.length).toBe(1);
    for (const path of [
      `/releases/${one.id}/9.9.9/`,
      '/releases/proj_other/1.2.0-rc.1/',
      '/releases/',
      `${base}x/`,
      `${base}/releases/${one.id}/1.2.0-rc.1/`,
    ]) {
      expect([path, (await one.client.get(path)).status]).toEqual([path, 404]);
    }
    deployments.unpublish(one.id);
    expect((await one.client.get(base)).status).toBe(404);
  });
});
