// Second tier.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { takes } from '../../support/clocks/delays.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { SiteClient } from '../../support/sites/site-client.js';
import { submitForm } from '../../support/sites/site-forms.js';
import { entersSite, signedInMember } from '../../support/sites/site-members.js';
import { visitorsOf } from '../../support/sites/site-visitors.js';

interface Mail {
  readonly kind: string;
}

let app: TestApp;
beforeAll(async () => {
  app = await sharedApp({ baseUrl: 'http://localhost:3000' });
}, 60_000);
afterAll(() => app.close());

async function publish(id: string): Promise<string> {
  const { deploymentId } = await done(app, 'site/publish', { id });
  const status = await eventually(
    () => done(app, 'site/getPublishStatus', { projectId: id }),
    (now) => now === null || now.stage === 'failed',
    60_000,
  );
  expect(status).toBeNull();
  return deploymentId;
}

describe('a new project', () => {
  it('is published with its starter page, and open on its own host', async () => {
    const { id } = await done(app, 'site/createProject', { name: 'Harbour tea' });
    await publish(id);
    const { publishedUrl } = await done(app, 'site/getProject', { id });
    const { host } = new URL(publishedUrl);
    const site = new SiteClient(app, host);
    const page = await site.get('/');
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.text).toMatch(/<div id="root"><main[^>]*><h1[^>]*>Harbour tea<\/h1>/);
    const assets = [...page.text.matchAll(/(?:href|src)="(\/_site\/[^"]*)"/g)].map(([, path = '']) => path);
    expect(assets.length).toBeGreaterThanOrEqual(3);
    let size = page.bytes.length;
    for (const path of new Set(assets)) {
      const { status, headers, bytes } = await site.get(path, { 'accept-encoding': 'br' });
      expect([path, status, headers['cache-control']]).toEqual([path, 200, 'public, max-age=31536000, immutable']);
      expect(headers['content-type']).toBe(`text/${path.endsWith('.css') ? 'css' : 'javascript'}; charset=utf-8`);
      size += bytes.length;
    }
    // The size is compressed. React accounts for 60 kB.
    expect(size).toBeLessThan(70_000);
  }, 120_000);

  it('has links to its own host in its mails, and earlier links redirect there', async () => {
    const { id } = await done(app, 'site/createProject', { name: 'Mailing' });
    await done(app, 'site/updateProjectAuth', { id, authEnabled: true, authRequireEmail: true });
    const linkOf = async (kind: string) => {
      const list = () => done(app, 'site/listOutgoingMail', { projectId: id });
      const { mails } = await eventually(list, (listed) => listed.mails.some((mail: Mail) => mail.kind === kind));
      return new URL(mails.find((mail: Mail) => mail.kind === kind).link);
    };
    const [email, password] = ['ada@example.com', 'correct horse'];
    const visitors = visitorsOf(app, id);
    await visitors.user('bob@example.com');
    await visitors.post('auth/signup', { email: 'bob@example.com', password });
    const before = await linkOf('taken');
    await publish(id);
    const { host } = new URL((await done(app, 'site/getProject', { id })).publishedUrl);
    const site = new SiteClient(app, host);
    const led = await new SiteClient(app, 'localhost:3000').get(before.pathname);
    expect([led.status, led.headers.location]).toEqual([303, `http://${host}/login`]);
    await site.post('/api/auth/signup', { email, password });
    const link = await linkOf('verify');
    expect([link.host, link.pathname]).toEqual([host, '/verify-email']);
    expect((await site.post('/api/auth/login', { email, password })).body.code).toBe('email-not-verified');
    const verified = await submitForm(site, link.pathname + link.search, {});
    expect([verified.status, verified.text.includes('Your email is verified')]).toEqual([200, true]);
    expect((await submitForm(site, '/login', { email, password })).headers.location).toBe('/');
    expect((await site.get('/api/auth/me')).body.user).toMatchObject({ email });
  }, 120_000);

  it('is one site or the other to visitors who load through two publishes and a roll-back', async () => {
    const { id } = await done(app, 'site/createProject', { name: 'Switching' });
    const [home] = (await done(app, 'site/getProject', { id })).pages;
    const version = (n: number) =>
      done(app, 'site/updatePage', {
        id: home.id,
        content: `export default function Home() { return <main className="p-[${n}px]">version ${n}</main>; }`,
      });
    await version(1);
    const deployments = [await publish(id)];
    const { host } = new URL((await done(app, 'site/getProject', { id })).publishedUrl);
    let isOver = false;
    const loads = async () => {
      const seen: number[] = [];
      const site = new SiteClient(app, host);
      while (!isOver) {
        const { status, text } = await site.get('/');
        const script = /"script":"([^"]*)"/.exec(text)?.[1];
        const styles = /<link rel="stylesheet" href="([^"]*)"/.exec(text)?.[1] ?? '';
        const [code, sheet] = [await site.get(`/_site/${script}`), await site.get(styles)];
        const versions = [
          /version (\d)/.exec(text)?.[1],
          /version (\d)/.exec(code.text)?.[1],
          /padding:(\d)px/.exec(sheet.text.replaceAll(' ', ''))?.[1],
        ];
        expect([status, code.status, sheet.status, new Set(versions).size]).toEqual([200, 200, 200, 1]);
        if (seen.at(-1) !== Number(versions[0])) seen.push(Number(versions[0]));
        await takes(10);
      }
      return seen;
    };
    const visitors = Array.from({ length: 3 }, loads);
    for (const n of [2, 3]) {
      await version(n);
      deployments.push(await publish(id));
    }
    await done(app, 'site/rollBackPublish', { projectId: id, deploymentId: deployments[0] });
    expect((await new SiteClient(app, host).get('/')).text).toContain('version 1');
    isOver = true;
    // Each visitor saw the versions in the order in which they were live. Only the rollback shows an earlier one again.
    for (const seen of await Promise.all(visitors)) expect(isWithin(seen, [1, 2, 3, 1])).toBe(true);
    await done(app, 'site/unpublish', { id });
    expect((await new SiteClient(app, host).get('/')).status).toBe(404);
  }, 120_000);
});

describe('the preview of a project', () => {
  it('shows the present content, and explains why it cannot be built', async () => {
    const { id } = await done(app, 'site/createProject', { name: 'Drafts' });
    const [home] = (await done(app, 'site/getProject', { id })).pages;
    const host = new SiteClient(app, `preview--${id.replace('proj_', '')}.localhost:3000`);
    await entersSite(host, await signedInMember(app));
    const page = await host.get('/');
    expect([page.status, page.text.includes('"isRendered":false')]).toEqual([200, true]);
    const script = /"script":"([^"]*)"/.exec(page.text)?.[1];
    expect((await host.get(`/_site/${script}`)).text).toContain('This is the first page of your site.');
    await done(app, 'site/updatePage', { id: home.id, content: 'export default function Home() {\n  return <p>{;\n}' });
    const broken = await host.get('/');
    expect([broken.status, broken.text.includes('pages/index.tsx:2: ')]).toEqual([409, true]);
  }, 60_000);
});

/** Whether the numbers are a subsequence of the list. */
function isWithin(some: readonly number[], list: readonly number[]): boolean {
  let at = 0;
  for (const one of list) if (some[at] === one) at += 1;
  return at === some.length;
}
