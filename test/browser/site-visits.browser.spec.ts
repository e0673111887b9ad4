// Second tier.
import { expect, it } from '@jest/globals';
import type { TestApp } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { done } from '../support/people.js';
import { describeInChromium, startsInBrowser, type TestBrowser } from '../support/sites/browser.js';

const about = `import { Link } from '@countersign/site';
export default function About() {
  return <main><Link href="/">Home</Link></main>;
}
`;
const members = `import { useUser } from '@countersign/site';
export default function Members() {
  const user = useUser();
  return <main>for {user?.email ?? 'nobody'}</main>;
}
`;

describeInChromium('visits of a published site', (executablePath) => {
  let app: TestApp;
  let browser: TestBrowser;
  let id: string;
  const addressOf = async (path: string) => {
    const { subdomain } = await done(app, 'site/getProject', { id });
    return `http://${subdomain}.localhost:${new URL(app.url).port}${path}`;
  };
  const publish = async () => {
    await done(app, 'site/publish', { id });
    const status = () => done(app, 'site/getPublishStatus', { projectId: id });
    expect(await eventually(status, (now) => now === null || now.stage === 'failed', 60_000)).toBeNull();
  };
  startsInBrowser(executablePath, async (started, chromium) => {
    [app, browser] = [started, chromium];
    id = (await done(app, 'site/createProject', { name: 'Mountain tea' })).id;
  });

  it('a user signs in and opens a protected page', async () => {
    const { id: closed } = await done(app, 'site/createPage', {
      projectId: id,
      name: 'Members',
      path: '/members',
      content: members,
    });
    await done(app, 'site/updateProjectAuth', { id, authEnabled: true });
    await done(app, 'site/setPageAccessRules', { pageId: closed, accessRules: { read: { type: 'authenticated' } } });
    await done(app, 'site/createAppUser', { projectId: id, email: 'ada@example.com', password: 'correct horse' });
    await done(app, 'site/createPage', { projectId: id, name: 'About', path: '/about', content: about });
    await publish();
    const page = await browser.open();
    const told: string[] = [];
    page.on('console', (said) => {
      if (said.type() === 'error') told.push(said.text());
    });
    await page.goto(await addressOf('/members'));
    await page.waitForURL(await addressOf('/login?next=%2Fmembers'));
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('Password').fill('correct horse');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(await addressOf('/members'));
    await page.getByText('for ada@example.com').waitFor();
    expect(told).toEqual([]);
  }, 120_000);

  it('page views are counted without cookies, consent or data in the browser', async () => {
    const traffic = () => done(app, 'site/getTraffic', { projectId: id });
    const { views: before } = await traffic();
    const shown = await browser.open();
    const beacons: { cookie: string | undefined; body: string | null }[] = [];
    shown.on('request', (request) => {
      if (request.url().endsWith('/api/traffic')) {
        beacons.push({ cookie: request.headers()['cookie'], body: request.postData() });
      }
    });
    await shown.goto(await addressOf('/about?token=secret'));
    // Before the page's script runs, the link would load the next page at once, and this view would not be counted.
    await eventually(
      async () => beacons.length,
      (sent) => sent > 0,
    );
    await shown.getByRole('link', { name: 'Home' }).click();
    await shown.getByRole('heading', { name: 'Mountain tea' }).waitFor();
    await shown.goto(await addressOf('/nowhere'));
    const { views, pages, devices } = await eventually(traffic, (now) => now.views >= before + 2);
    expect(views).toBe(before + 2);
    expect(pages.map(({ path }: { path: string }) => path)).toEqual(expect.arrayContaining(['/about', '/']));
    expect(JSON.stringify(pages)).not.toMatch(/secret|nowhere/);
    expect(devices.length).toBeGreaterThan(0);
    expect(beacons).toEqual([
      { cookie: undefined, body: JSON.stringify({ path: '/about', referrer: '' }) },
      { cookie: undefined, body: JSON.stringify({ path: '/', referrer: '' }) },
    ]);
    expect(await shown.evaluate('[document.cookie, localStorage.length, sessionStorage.length]')).toEqual(['', 0, 0]);
    await shown.context().close();
  }, 120_000);

  it('a tracker is loaded only after the visitor agrees, and the choice holds from then on', async () => {
    const ids = { primaryAnalyticsId: 'G-1234567890', secondaryAnalyticsId: 'abc12' };
    await done(app, 'site/updateAnalyticsSettings', { projectId: id, ...ids });
    await publish();
    for (const answer of ['No', 'Yes']) {
      const page = await browser.open();
      const asked: string[] = [];
      await page.route(/googletagmanager|clarity/, (route) => {
        asked.push(new URL(route.request().url()).host);
        return route.fulfill({ contentType: 'text/javascript', body: 'document.title += "!"' });
      });
      await page.goto(await addressOf('/'));
      const question = page.getByText('May other services measure');
      await question.waitFor();
      expect(asked).toEqual([]);
      await page.getByRole('button', { name: answer, exact: true }).click();
      await question.waitFor({ state: 'detached' });
      await page.reload({ waitUntil: 'networkidle' });
      expect(await page.getByText('May other services measure').isVisible()).toBe(false);
      const each = ['www.clarity.ms', 'www.googletagmanager.com'];
      expect([...asked].sort()).toEqual(answer === 'No' ? [] : [...each, ...each].sort());
      expect((await page.title()).endsWith('!!')).toBe(answer === 'Yes');
      // The events of the primary tracker are in its queue.
      const queued = await page.evaluate(
        "JSON.stringify((window.dataLayer ?? []).map((one) => one[0] + ' ' + one[1]))",
      );
      expect(String(queued).includes('config G-1234567890')).toBe(answer === 'Yes');
      await page.context().close();
    }
    await done(app, 'site/updateAnalyticsSettings', { projectId: id, ...ids, consentBanner: false });
    await publish();
    const page = await browser.open();
    const asked: string[] = [];
    await page.route(/googletagmanager|clarity/, (route) => {
      asked.push(new URL(route.request().url()).host);
      return route.fulfill({ contentType: 'text/javascript', body: '' });
    });
    await page.goto(await addressOf('/'), { waitUntil: 'networkidle' });
    expect(asked.sort()).toEqual(['www.clarity.ms', 'www.googletagmanager.com']);
  }, 120_000);

  it('an installed site caches for the next visitor only what is open to everybody', async () => {
    await done(app, 'site/createAppUser', { projectId: id, email: 'eve@example.com', password: 'correct horse' });
    const of = { type: 'user_property', property: 'email', operator: 'eq', value: 'ada@example.com' };
    const [, { id: pageId }] = (await done(app, 'site/getProject', { id })).pages;
    await done(app, 'site/setPageAccessRules', { pageId, accessRules: { read: of } });
    const none = { primaryAnalyticsId: null, secondaryAnalyticsId: null, consentBanner: true };
    await done(app, 'site/updateAnalyticsSettings', { projectId: id, ...none });
    await done(app, 'site/updateProject', { id, pwaEnabled: true });
    await publish();
    const page = await browser.open();
    const signIn = async (email: string, next: string) => {
      await page.goto(await addressOf(`/login?next=${next}`));
      await page.getByLabel('Email').fill(email);
      await page.getByLabel('Password').fill('correct horse');
      await page.getByRole('button', { name: 'Sign in' }).click();
    };
    const isServed = (script: unknown) =>
      page.evaluate(`fetch('/_site/${String(script)}').then(({ status }) => status)`);
    await signIn('ada@example.com', '/');
    await page.waitForURL(await addressOf('/'));
    await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
    await page.goto(await addressOf('/members'));
    await page.getByText('for ada@example.com').waitFor();
    const closed = await page.evaluate(
      `(JSON.parse(document.getElementById('site-data').textContent).pages.find(({ path }) => path === '/members')).script`,
    );
    expect(await isServed(closed)).toBe(200);
    const kept = await page.evaluate(
      `caches.open('site-assets-1').then((cache) => cache.keys()).then((all) => all.map(({ url }) => url.split('/').at(-1)))`,
    );
    expect(kept).toEqual(expect.arrayContaining([expect.stringMatching(/^react-/)]));
    expect(kept).not.toContain(closed);
    await page.evaluate(
      `fetch('/api/auth/logout', { method: 'POST', headers: { 'content-type': 'application/json' } }).then(() => undefined)`,
    );
    expect(await isServed(closed)).toBe(404);
    // The next user of the same browser, with the service worker and caches of the previous user.
    await signIn('eve@example.com', '/members');
    await page.getByRole('heading', { name: 'Not allowed' }).waitFor();
    await page.goto(await addressOf('/'));
    expect(await page.evaluate('navigator.serviceWorker.controller !== null')).toBe(true);
    expect(await isServed(closed)).toBe(404);
  }, 60_000);
});
