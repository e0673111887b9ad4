// Second tier.
import { afterAll, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/mail/free-port.js';
import { MailServerForTests } from '../support/mail/mail-server.js';
import { createMailbox, mailboxAt, mailOfTests, password } from '../support/mail/mailboxes.js';
import { done } from '../support/people.js';
import { OpenIdProviderForTests } from '../support/servers/openid-provider.js';
import { type StandInProcessor, startProcessor } from '../support/servers/payment-processor.js';
import { describeInChromium, startsInBrowser, type TestBrowser } from '../support/sites/browser.js';
import { broken, desk, frame, home, shop } from '../support/sites/module-pages.js';
import { openShop, type Shop } from '../support/sites/shops.js';

const everybody = { type: 'public', scope: 'everywhere' };
const signedIn = { type: 'authenticated' };
const own = { type: 'creator' };

describeInChromium('the module of pages', (executablePath) => {
  let app: TestApp;
  let browser: TestBrowser;
  let provider: OpenIdProviderForTests;
  let processor: StandInProcessor;
  let mails: MailServerForTests;
  let site: Shop;
  let origin: string;
  let roleId: string;
  startsInBrowser(
    executablePath,
    async (started, chromium) => {
      [app, browser] = [started, chromium];
      site = await openShop(app, processor);
      const { projectId } = site;
      const { subdomain, pages, linkedBase } = await done(app, 'site/getProject', { id: projectId });
      origin = `http://${subdomain}.localhost:${new URL(app.url).port}`;
      const create = (name: string, code: string) =>
        done(app, 'site/createBackendFunction', { projectId, name, code, accessRules: { execute: [everybody] } });
      const page = async (name: string, path: string, content: string) =>
        (await done(app, 'site/createPage', { projectId, name, path, content })).id;
      const forUsers = (pageId: string) =>
        done(app, 'site/setPageAccessRules', { pageId, accessRules: { read: signedIn } });
      const { id: ofAll } = await done(app, 'automations/createFunction', {
        name: 'of all sites',
        code: 'return { twice: params.by * 2 }',
        grants: { bases: [{ projectId }] },
        accessRules: { execute: signedIn, runBy: { pages: true, functions: [], agents: [] } },
      });
      roleId = (await done(app, 'site/createProjectRole', { projectId, name: 'Editor' })).id;
      const [{ id: tableId }] = await Promise.all([
        done(app, 'bases/createTable', {
          baseId: linkedBase.id,
          name: 'Notes',
          fields: [{ name: 'title', type: 'text' }],
        }),
        done(app, 'automations/updateFunction', { id: ofAll, isActive: true }),
        done(app, 'site/updateProjectAuth', {
          id: projectId,
          authAllowSocial: true,
          authPaths: { afterLogin: '/desk' },
        }),
        create('prices', "return { text: params.item + ' costs 5' };"),
        create('refuses', 'throw new Error(params.why);'),
        site.offer({ amount: 0 }),
        site.offer({ key: 'gold', name: 'Gold' }),
        site.connect(),
        createMailbox(app, mailboxAt(mails, { projectId, isDefault: true })),
        done(app, 'site/setEmailAccessRules', { projectId, accessRules: { send: signedIn } }),
        done(app, 'site/createEmailTemplate', { projectId, name: 'Hello', slug: 'hello', content: 'Hello {{name}}' }),
        done(app, 'site/updatePage', { id: pages[0].id, content: home }),
        page('Shop', '/shop/:item', shop).then(forUsers),
        page('Desk', '/desk', desk).then(forUsers),
        done(app, 'site/createComponent', { projectId, name: 'Broken', content: broken }),
        done(app, 'site/createComponent', { projectId, name: 'Frame', content: frame }),
        page('Broken', '/broken', "export { default } from '@/components/Broken';").then((id) =>
          done(app, 'site/updatePage', { id, layout: 'Frame' }),
        ),
      ]);
      await done(app, 'bases/setTableAccessRules', { tableId, accessRules: { read: own, create: signedIn } });
      await done(app, 'site/publish', { id: projectId });
      const status = () => done(app, 'site/getPublishStatus', { projectId });
      expect(await eventually(status, (now) => now === null || now.stage === 'failed', 60_000)).toBeNull();
    },
    async () => {
      [provider, processor, mails] = await Promise.all([
        OpenIdProviderForTests.start(),
        startProcessor(),
        MailServerForTests.start({ password }),
      ]);
      // Providers redirect to BASE_URL, so it must contain the port of the service, which is chosen here.
      const port = await freePort();
      const environment = {
        PORT: String(port),
        EGRESS_ALLOW: '127.0.0.1',
        PROCESSOR_URL: processor.url,
        SOCIAL_PROVIDERS: JSON.stringify([provider.settings('own')]),
      };
      return startApp({ port, environment, replacements: [mailOfTests()] });
    },
  );
  afterAll(() => Promise.all([provider.close(), processor.close(), mails.close()]));

  /** Opens a page and counts its document loads. `errors` collects console errors and warnings. */
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

  it('leads from sign-up to checkout and sign-out without reloading the page', async () => {
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
    const again = page.waitForResponse('**/api/functions/prices');
    await page.getByRole('button', { name: 'Again' }).click();
    expect((await again).status()).toBe(200);
    await page.getByText('tea costs 5').waitFor();
    await page.getByRole('button', { name: 'Buy' }).click();
    await page.getByText('said granted').waitFor();
    await page.getByText('In the club').waitFor();
    await page.getByRole('link', { name: 'Home' }).click();
    await page.getByRole('heading', { name: 'Ada', exact: true }).waitFor();
    await page.goBack();
    await page.getByText('In the club').waitFor();
    expect(documents()).toBe(1);
    // The server-rendered page of a signed-in user must hydrate without a console error.
    await page.reload();
    await page.getByText('In the club').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Nobody' }).waitFor();
    expect([new URL(page.url()).pathname, documents()]).toEqual(['/', 2]);
    // The server decides about pages that need a sign-in.
    await page.getByRole('link', { name: 'Tea' }).click();
    await page.waitForURL(`${origin}/login?next=%2Fshop%2Ftea`);
    expect(errors).toEqual([]);
  }, 120_000);

  it('signs in through a provider, and lets that user work with tables, functions, mail, roles and payments', async () => {
    const { page, errors, documents } = await open();
    provider.visitor = { sub: 'carol', email: 'carol@example.com', email_verified: true, name: 'Carol' };
    const row = await site.post('tables/createRow', { table: 'Notes', values: { title: 'Of another' } }, site.pass);
    await page.goto(`${origin}/?next=/desk%23${row.body.id}`);
    await page.getByRole('button', { name: 'By a provider' }).click();
    await page.getByRole('heading', { name: 'Desk of Carol' }).waitFor();
    const address = new URL(page.url());
    expect([address.pathname, address.hash]).toEqual(['/desk', `#${row.body.id}`]);
    const before = documents();

    for (const title of ['Salt', 'Flour']) {
      await page.getByLabel('Title').fill(title);
      await page.getByRole('button', { name: 'Add' }).click();
      await page.getByRole('listitem').filter({ hasText: title }).waitFor();
    }
    expect(await page.getByRole('listitem').allTextContents()).toEqual(['Flour', 'Salt']);
    /** Clicks the button and waits for the page's status. */
    const says = async (name: string, expected: string | RegExp) => {
      await page.getByRole('button', { name }).click();
      await page.getByRole('status').filter({ hasText: expected }).waitFor();
    };
    await says("Read another's", '404 row-not-found');
    expect(errors.splice(0)).toEqual([expect.stringContaining('404')]);
    await says('Ask the workspace', '{"twice":4}');
    await says('Send', '{"messageId":"<');
    expect(mails.received).toMatchObject([
      { to: ['desk@example.org'], mail: { html: expect.stringMatching(/^Hello Carol/) } },
    ]);

    const { users } = await done(app, 'site/getAppUsers', { projectId: site.projectId });
    const { id: userId } = users.find(({ email }: { email: string }) => email === 'carol@example.com');
    await page.getByText('No editor').waitFor();
    await done(app, 'site/assignRoleToAppUser', { userId, roleId });
    await says('Who am I', 'Editor');
    await page.getByText('An editor').waitFor();
    expect(documents()).toBe(before);

    await page.getByText('No gold').waitFor();
    await page.route('https://checkout.example.com/**', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<h1>Pay here</h1>' }),
    );
    await page.getByRole('button', { name: 'Buy gold' }).click();
    await page.getByRole('heading', { name: 'Pay here' }).waitFor();
    const session = processor.of('checkout.session').at(-1);
    expect(session.amount_total).toBe(1_000);
    for (const event of processor.paid(session.id)) expect((await site.deliver(event)).status).toBe(200);
    await page.goto(session.success_url);
    await page.getByText('All in gold').waitFor();
    expect(new URL(page.url()).search).toBe('?paid=yes');
    // The page was rendered for anonymous visitors, and must hydrate for her without a console error.
    await page.goto(`${origin}/`);
    await page.getByRole('heading', { name: 'Carol' }).waitFor();
    expect(errors).toEqual([]);
  }, 120_000);

  it('shows an error message instead of a page that throws, and still works on other pages', async () => {
    const { page, errors, documents } = await open();
    await page.goto(`${origin}/`);
    await page.getByRole('link', { name: 'Broken' }).click();
    await page.getByRole('heading', { name: 'This page has an error' }).waitFor();
    expect(errors.splice(0)).toEqual([expect.stringMatching(/TypeError.*'name'/s)]);
    // The page's layout is still shown.
    await page.getByRole('link', { name: 'Out of here' }).click();
    await page.getByRole('heading', { name: 'Nobody' }).waitFor();
    await page.getByRole('button', { name: 'Fail' }).click();
    await page.getByText('422 function-failed Sold out').waitFor();
    expect(documents()).toBe(1);
    // The page could not be prerendered, so loading it directly shows the same error.
    await page.goto(`${origin}/broken`);
    await page.getByRole('heading', { name: 'This page has an error' }).waitFor();
  }, 60_000);
});
