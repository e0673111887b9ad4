// Engines: one process.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { VisitsEvent } from '../../../src/areas/sites/traffic/traffic.record.js';
import { TrafficRetention } from '../../../src/areas/sites/traffic/traffic-retention.api.js';
import type { RecordedEvent } from '../../../src/kernel/event/event.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import { type SealedEntry, Vault } from '../../../src/ports/vault.port.js';
import { SettableClock } from '../../support/clocks/settable-clock.js';
import { eventually } from '../../support/eventually.js';
import { done, otherWorkspace, person } from '../../support/people.js';
import { type OutsideApp, sharedOutside } from '../../support/shared-outside.js';
import { type SiteVisitors, siteVisitors } from '../../support/sites/site-visitors.js';

let clock: SettableClock;
const dayMs = 86_400_000;
let app: OutsideApp;
let site: SiteVisitors;
let workspaceId: string;
beforeAll(async () => {
  app = await sharedOutside();
  ({ clock } = app);
  workspaceId = (await done(app, 'workspace/getWorkspace')).id;
});
afterAll(() => app.close());
beforeEach(async () => {
  clock.set(Date.parse('2026-11-29T12:00:00Z'));
  site = await siteVisitors(app);
});

const desktop = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/131.0.0.0 Safari/537.36';
const phone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1';
const tablet = 'Mozilla/5.0 (iPad; CPU OS 15_0 like Mac OS X) Version/15.0 Mobile/15E148 Safari/604.1';
interface By {
  readonly referrer?: unknown;
  readonly agent?: string;
  readonly address?: string;
}
const send = (path: unknown = '/', { referrer = '', agent = desktop, address = '203.0.113.1' }: By = {}) =>
  site.post('traffic', { path, referrer }, undefined, { 'user-agent': agent, 'x-forwarded-for': address });
const visit = async (path?: string, by: By = {}, times = 1) => {
  const replies = await Promise.all(Array.from({ length: times }, () => send(path, by)));
  expect(replies.map(({ status }) => status).filter((status) => status !== 204)).toEqual([]);
};
const traffic = (more: object = {}) => done(app, 'site/getTraffic', { projectId: site.projectId, ...more });
const retention = () => app.app.get(TrafficRetention, { strict: false });
const journal = (category: string) =>
  app.app.get(EventStore, { strict: false }).readStream(`${category}-${workspaceId}.${site.projectId}`);

const hashesIn = (event: RecordedEvent | undefined) =>
  ((event?.data ?? { visits: [] }) as VisitsEvent['data']).visits.map(([hash]) => hash);

describe('getTraffic', () => {
  it('answers only zeroes before any visit (TF-01, TF-02)', async () => {
    const answer = await traffic({ days: 7 });
    expect(answer).toEqual({
      days: 7,
      isPublished: false,
      publishedAt: null,
      trackingSince: null,
      views: 0,
      visitors: 0,
      series: Array.from({ length: 7 }, (_, at) => ({ day: `2026-11-${23 + at}`, views: 0, visitors: 0 })),
      pages: [],
      referrers: [],
      devices: [],
    });
  });

  it('counts views and visitors, by page, referrer and device (TF-01, Q-S101)', async () => {
    await visit('/', { referrer: 'https://News.example.org/story?id=7' }, 2);
    await visit('/about');
    await visit('/', { agent: phone, address: '203.0.113.2', referrer: 'https://search.example/' });
    await visit('/', { agent: tablet, address: '203.0.113.3' });
    await visit('/', { agent: 'curl/8', address: '203.0.113.4', referrer: 'https://search.example/q' });
    await visit('/', { agent: 'curl/8', address: '203.0.113.4', referrer: 'https://search.example/q' });
    const { series, ...answer } = await traffic();
    expect(answer).toMatchObject({
      days: 30,
      trackingSince: expect.stringMatching(/^2026-11-29T12:00:/),
      views: 7,
      visitors: 4,
      pages: [
        { path: '/', views: 6, visitors: 4 },
        { path: '/about', views: 1, visitors: 1 },
      ],
      referrers: [
        { host: 'search.example', views: 3 },
        { host: 'news.example.org', views: 2 },
      ],
      devices: [
        { device: 'desktop', views: 3 },
        { device: 'mobile', views: 1 },
        { device: 'tablet', views: 1 },
        { device: 'other', views: 2 },
      ],
    });
    expect([series.length, series.at(-1)]).toEqual([30, { day: '2026-11-29', views: 7, visitors: 4 }]);
  });

  it('divides days in UTC, wherever the visitor is (TF-03)', async () => {
    clock.set(Date.parse('2026-11-29T23:30:00-05:00'));
    await visit('/');
    expect((await traffic({ days: 7 })).series.at(-1)).toEqual({ day: '2026-11-30', views: 1, visitors: 1 });
  });

  it('shows the ten pages and ten referrers with the most views (TF-04, SL-12)', async () => {
    for (let n = 1; n <= 12; n += 1) await visit(`/p${n}`, { referrer: `https://r${n}.example/` }, n);
    const { pages, referrers } = await traffic();
    const names = [12, 11, 10, 9, 8, 7, 6, 5, 4, 3];
    expect(pages.map(({ path, views }: { path: string; views: number }) => [path, views])).toEqual(
      names.map((n) => [`/p${n}`, n]),
    );
    expect(referrers).toEqual(names.map((n) => ({ host: `r${n}.example`, views: n })));
  });

  it.each([7, 30, 90, undefined])('accepts %s days (SL-12)', async (days) => {
    await visit('/today');
    clock.set(clock.now() + 7 * dayMs);
    await visit('/a-week-later');
    const { days: told, series, views } = await traffic({ days });
    expect([told, series.length, views]).toEqual([days ?? 30, days ?? 30, days === 7 ? 1 : 2]);
  });

  it.each([14, 0, -7, 91, 7.5, '7', null])('refuses %j days (SL-12)', async (days) => {
    const { status, body } = await app.call('site/getTraffic', { projectId: site.projectId, days });
    expect([status, body.code, body.errors[0].path]).toEqual([400, 'invalid-input', 'days']);
    expect(body.errors[0].message).toMatch(/^must be (one of: 7, 30, 90|an integer)/);
  });

  it('is open to members of the workspace', async () => {
    const { key } = await person(app, 'viewer');
    expect((await app.call('site/getTraffic', { projectId: site.projectId }, key)).status).toBe(200);
    const other = await otherWorkspace(app);
    expect((await app.call('site/getTraffic', { projectId: site.projectId }, other.ownerKey)).status).toBe(404);
  });

  it('returns paths as text with any content (TF-05)', async () => {
    const markup = '/<script>alert(1)</script>';
    await visit(markup);
    const reply = await app.call('site/getTraffic', { projectId: site.projectId });
    expect(reply.body.pages[0].path).toBe(markup);
    expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
  });
});

describe('POST traffic', () => {
  it('answers 204 without content, and sets no cookie', async () => {
    const { status, headers, body } = await send('/');
    expect([status, body, headers.get('set-cookie'), headers.get('content-type')]).toEqual([204, '', null, null]);
  });

  it.each([
    ['no path', { referrer: '' }],
    ['a path that is none', { path: 'about' }],
    ['an address', { path: 'https://example.com/' }],
    ['an empty path', { path: '' }],
    ['a number', { path: 7 }],
    ['a path of 8,001 characters', { path: `/${'a'.repeat(8_000)}` }],
    ['a referrer that is an object', { path: '/', referrer: {} }],
    ['more than that', { path: '/', user: 'ada' }],
  ])('refuses a page view with %s', async (_, body) => {
    expect((await site.post('traffic', body)).status).toBe(400);
    expect((await traffic()).views).toBe(0);
  });

  it('stores no query and no invisible character, and cuts long values', async () => {
    await visit('/reset?token=secret#x');
    await visit('/a\n\u202Eb');
    expect((await send('/a\u0000b')).status).toBe(400);
    await visit(`/${'ü'.repeat(4_000)}`);
    expect((await traffic()).pages.map(({ path }: { path: string }) => path).sort()).toEqual(
      ['/a\uFFFD\uFFFDb', '/reset', `/${'ü'.repeat(249)}`].sort(),
    );
    expect(JSON.stringify(await journal('trafficVisits'))).not.toContain('secret');
  });

  it('does not count declared bots', async () => {
    await visit('/', { agent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' });
    expect(await traffic()).toMatchObject({ views: 0, trackingSince: null });
  });

  it('counts 1,000 different paths and hosts a day, and the rest as one line', async () => {
    for (let n = 0; n < 1_000; n += 100) {
      await Promise.all(
        Array.from({ length: 100 }, (_, at) => visit(`/p${n + at}`, { referrer: `https://r${n + at}.example/` })),
      );
    }
    for (let n = 0; n < 5; n += 1)
      await visit(`/more${n}`, { referrer: `https://more${n}.example/`, agent: `a${n % 2}` });
    await visit('/p7', {}, 7);
    const { pages, referrers, views } = await traffic();
    expect(views).toBe(1_012);
    expect(pages.slice(0, 3)).toEqual([
      { path: '/p7', views: 8, visitors: 1 },
      { path: '(other)', views: 5, visitors: 2 },
      { path: '/p0', views: 1, visitors: 1 },
    ]);
    expect(referrers[0]).toEqual({ host: '(other)', views: 5 });
    clock.set(clock.now() + dayMs);
    await visit('/more1', {}, 2);
    expect((await traffic()).pages).toContainEqual({ path: '/more1', views: 2, visitors: 1 });
  });

  it('accepts hosts and paths with odd names', async () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      await visit(`/${name}`, { referrer: `https://${name}/` }, 2);
    }
    const { pages, referrers } = await traffic();
    expect(pages.map(({ path }: { path: string }) => path).sort()).toEqual(['/__proto__', '/constructor', '/toString']);
    expect(referrers.map(({ host }: { host: string }) => host)).toEqual(['__proto__', 'constructor', 'tostring']);
  });

  it("does not treat the site's own hosts as referrers", async () => {
    const { subdomain } = await done(app, 'site/getProject', { id: site.projectId });
    await visit('/', { referrer: `http://${subdomain}.localhost:3000/about` });
    expect(await traffic()).toMatchObject({ views: 1, referrers: [] });
  });
});

describe('stored traffic', () => {
  it('identifies no person: no address, no browser, and a hash that changes every day', async () => {
    await visit('/');
    const [event] = await journal('trafficVisits');
    expect(event?.data).toEqual({
      projectId: site.projectId,
      day: '2026-11-29',
      visits: [[expect.stringMatching(/^[A-Za-z0-9_-]{8}$/), '/', null, 'desktop']],
    });
    expect(JSON.stringify(event)).not.toMatch(/203\.0\.113|Windows|Chrome/);
    const vault = app.app.get(Vault, { strict: false });
    const salts = async () => {
      const found: SealedEntry[] = [];
      for await (const entry of vault.sealedEntries()) if (entry.name.startsWith('traffic-salt/')) found.push(entry);
      return found.filter(({ name }) => name.includes(site.projectId)).map(({ expiresAt }) => expiresAt);
    };
    expect(await salts()).toEqual([Date.parse('2026-11-30T00:00:00Z')]);
    clock.set(clock.now() + dayMs);
    await vault.sweep();
    expect(await salts()).toEqual([]);
    await visit('/');
    const hashes = (await journal('trafficVisits')).flatMap(hashesIn);
    expect(new Set(hashes).size).toBe(2);
    expect(await traffic()).toMatchObject({ views: 2, visitors: 2 });
  });

  it('is separate for each site', async () => {
    await visit('/');
    const [first] = await journal('trafficVisits');
    site = await siteVisitors(app);
    await visit('/');
    const [second] = await journal('trafficVisits');
    expect(hashesIn(first)).not.toEqual(hashesIn(second));
  });

  it('is summarised after the day, when the visits are removed', async () => {
    await visit('/', { referrer: 'https://news.example/' }, 3);
    await visit('/about', { agent: phone });
    const before = await traffic();
    clock.set(Date.parse('2026-11-30T00:30:00Z'));
    await retention().sumUp();
    expect((await journal('trafficVisits')).length).toBeGreaterThan(0);
    clock.set(Date.parse('2026-11-30T01:30:00Z'));
    await visit('/tomorrow');
    await retention().sumUp();
    const left = await journal('trafficVisits');
    expect(left.map(({ data }) => (data as { day: string }).day)).toEqual(['2026-11-30']);
    expect((await journal('traffic')).map(({ type }) => type)).toEqual(['TrafficDaySummed']);
    const after = await traffic();
    expect([after.series.at(-2), after.trackingSince, after.views]).toEqual([
      before.series.at(-1),
      before.trackingSince,
      5,
    ]);
    await retention().sumUp();
    expect((await traffic()).views).toBe(5);
  });

  it('is removed after three months, except for the time of its beginning', async () => {
    await visit('/');
    const { trackingSince } = await traffic();
    for (const days of [1, 100, 101]) {
      clock.set(Date.parse('2026-11-29T12:00:00Z') + days * dayMs);
      await visit(`/after-${days}`);
      await retention().sumUp();
      await retention().sweep();
    }
    const answer = await traffic({ days: 90 });
    expect([answer.views, answer.trackingSince]).toEqual([2, trackingSince]);
    expect((await journal('traffic')).map(({ type }) => type)).toEqual(['TrafficForgotten', 'TrafficDaySummed']);
  });

  it('is deleted with the site', async () => {
    await visit('/');
    clock.set(clock.now() + dayMs);
    await retention().sumUp();
    await visit('/');
    await done(app, 'site/deleteProject', { id: site.projectId });
    for (const category of ['trafficVisits', 'traffic']) {
      await eventually(
        () => journal(category),
        ({ length }) => length === 0,
      );
    }
  });
});
