import { expect, it } from '@jest/globals';
import type { TestApp } from '../support/app.js';
import { describeInChromium, startsInBrowser, type TestBrowser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { done } from '../support/people.js';

const home = `import { useState } from 'react';
import { auth, functions, Link, navigate, SiteError, useUser } from '@countersign/site';
export default function Home() {
  const user = useUser();
  const [said, setSaid] = useState('');
  const fail = () => functions.invoke('refuses', { why: 'Sold out' }).catch((error) =>
    setSaid(error instanceof SiteError ? [error.status, error.code, error.message].join(' ') : 'strange'));
  const signUp = async () => {
    await auth.signup({ email: 'ada@example.com', password: 'correct horse', name: 'Ada' });
    navigate('/shop/tea');
  };
  return <main>
    <h1>{user?.name ?? 'Nobody'}</h1>
    <button onClick={signUp}>Sign up</button>
    <button onClick={fail}>Fail</button>
    <p>{said}</p>
    <Link href="/shop/tea">Tea</Link> <Link href="/broken">Broken</Link>
  </main>;
}
`;
const shop = `import { useState } from 'react';
import { auth, Link, navigate, payments, RequireEntitlement, RequireRole, useFunction, useParams, useUser } from '@countersign/site';
export default function Shop() {
  const { item } = useParams();
  const { data, loading, reload } = useFunction('prices', { item });
  const user = useUser();
  const [said, setSaid] = useState('');
  const buy = async () => {
    const { status } = await payments.checkout('club');
    await auth.me();
    setSaid(status);
  };
  const leave = async () => { await auth.logout(); navigate('/'); };
  return <main>
    <h1>{item} for {user?.email ?? 'nobody'}</h1>
    <p>{loading ? 'loading' : data.text}</p>
    <RequireEntitlement entitlement="club" fallback={<p>Join the club</p>}><p>In the club</p></RequireEntitlement>
    <RequireRole role="Admin" fallback={<p>No admin</p>}><p>An admin</p></RequireRole>
    <button onClick={buy}>Buy</button> <button onClick={reload}>Again</button>
    <button onClick={leave}>Sign out</button>
    <p>said {said}</p><Link href="/">Home</Link>
  </main>;
}
`;

describeInChromium('the module of pages', (executablePath) => {
  let app: TestApp;
  let browser: TestBrowser;
  let id: string;
  let origin: string;
  startsInBrowser(executablePath, async (started, chromium) => {
    [app, browser] = [started, chromium];
    const made = await done(app, 'site/createProject', { name: 'Harbour tea' });
    id = made.id;
    await done(app, 'site/updateProjectAuth', { id, authEnabled: true });
    const { subdomain, pages } = await done(app, 'site/getProject', { id });
    origin = `http://${subdomain}.localhost:${new URL(app.url).port}`;
    const create = (name: string, code: string) =>
      done(app, 'site/createBackendFunction', {
        projectId: id,
        name,
        code,
        accessRules: { execute: [{ type: 'public', scope: 'everywhere' }] },
      });
    await create('prices', "return { text: params.item + ' costs 5' };");
    await create('refuses', 'throw new Error(params.why);');
    await done(app, 'site/createOffer', { projectId: id, key: 'club', name: 'Club', amount: 0, currency: 'usd' });
    await done(app, 'site/updatePage', { id: pages[0].id, content: home });
    const { id: closed } = await done(app, 'site/createPage', {
      projectId: id,
      name: 'Shop',
      path: '/shop/:item',
      content: shop,
    });
    await done(app, 'site/setPageAccessRules', { pageId: closed, accessRules: { read: { type: 'authenticated' } } });
    const content =
      'export default function Broken() { const [one] = [] as { name: string }[]; return <p>{one.name}</p>; }';
    await done(app, 'site/createPage', { projectId: id, name: 'Broken', path: '/broken', content });
    await done(app, 'site/publish', { id });
    const status = () => done(app, 'site/getPublishStatus', { projectId: id });
    expect(await eventually(status, (now) => now === null || now.stage === 'failed', 60_000)).toBeNull();
  });

  /** A page whose documents are counted, and whose console must hold no error but the expected. */
  async function open() {
    const page = await browser.open();
    const errors: string[] = [];
    let documents = 0;
    page.on('console', (said) => {
      if (said.type() === 'error' || said.type() === 'warning') errors.push(said.text());
    });
    page.on('request', (request) => {
      if (request.resourceType() === 'document') documents += 1;
    });
    return { page, errors, documents: () => documents };
  }

  it('leads from sign-up to checkout without a document, and out again', async () => {
    const { page, errors, documents } = await open();
    await page.goto(`${origin}/`);
    await page.getByRole('heading', { name: 'Nobody' }).waitFor();
    await page.getByRole('button', { name: 'Fail' }).click();
    await page.getByText('422 function-failed Sold out').waitFor();
    expect(errors.splice(0)).toEqual([expect.stringContaining('422')]);
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByRole('heading', { name: 'tea for ada@example.com' }).waitFor();
    await page.getByText('tea costs 5').waitFor();
    expect(new URL(page.url()).pathname).toBe('/shop/tea');
    await page.getByText('Join the club').waitFor();
    await page.getByText('No admin').waitFor();
    await page.getByRole('button', { name: 'Buy' }).click();
    await page.getByText('said granted').waitFor();
    await page.getByText('In the club').waitFor();
    await page.getByRole('link', { name: 'Home' }).click();
    await page.getByRole('heading', { name: 'Ada' }).waitFor();
    await page.goBack();
    await page.getByText('In the club').waitFor();
    expect(documents()).toBe(1);
    // A whole page of somebody who is signed in is taken over without a complaint.
    await page.reload();
    await page.getByText('In the club').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Nobody' }).waitFor();
    expect([new URL(page.url()).pathname, documents()]).toEqual(['/', 2]);
    // The server decides of what is not this visitor's.
    await page.getByRole('link', { name: 'Tea' }).click();
    await page.waitForURL(`${origin}/login?next=%2Fshop%2Ftea`);
    expect(errors).toEqual([]);
  }, 120_000);

  it('shows a sentence in the place of a page that throws', async () => {
    const { page } = await open();
    await page.goto(`${origin}/`);
    await page.getByRole('link', { name: 'Broken' }).click();
    await page.getByRole('heading', { name: 'This page has a fault' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Nobody' }).waitFor();
  }, 60_000);
});
