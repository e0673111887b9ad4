// Second tier.
import { expect, it } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { TestApp } from '../support/app.js';
import { approved } from '../support/approved.js';
import { cases } from '../support/depth.js';
import { done } from '../support/people.js';
import {
  describeInChromium,
  desktop,
  mustFit,
  phone,
  signsIn,
  startsInBrowser,
  type TestBrowser,
} from '../support/sites/browser.js';

const devices = {
  'a phone without scripts': { ...phone, javaScriptEnabled: false },
  'a desktop': desktop,
  'a phone in the dark': { ...phone, colorScheme: 'dark' },
} satisfies Record<string, BrowserContextOptions>;

describeInChromium('the information for a decision, in a browser', inBrowser);

function inBrowser(executablePath: string): void {
  let app: TestApp;
  let browser: TestBrowser;
  let functionId: string;
  startsInBrowser(executablePath, async (startedApp, startedBrowser) => {
    [app, browser] = [startedApp, startedBrowser];
    functionId = await refunds();
  });

  /** A function with one change of every kind, and with long names that offer no line break. */
  async function refunds(): Promise<string> {
    for (const name of ['STRIPE_KEY', 'OTHER_KEY']) {
      await done(app, 'automations/setEnvVar', { name, value: 'sk_1', allowedHosts: ['api.stripe.com', 'b.example'] });
    }
    const { id: projectId } = await done(app, 'site/createProject', { name: 'Shop' });
    const long = 'x'.repeat(120);
    const code = `// <script>alert(1)</script> ${long}\nreturn ctx.secrets.ref('OTHER_KEY');`;
    const name = 'Refund customers';
    const grants = { bases: [{ projectId, access: 'write' }] };
    const { id } = await done(app, 'automations/createFunction', { name, code, grants });
    await done(app, 'automations/updateFunction', { id, isActive: true });
    await done(app, 'automations/createWebhook', { functionId: id });
    await done(app, 'automations/createSchedule', { functionId: id, cronExpression: '0 6 * * *', timezone: 'UTC' });
    const secrets = [{ name: 'STRIPE_KEY', hosts: ['api.stripe.com'] }];
    await approved(app, await app.call('automations/setFunctionSecrets', { id, secrets }));
    await done(app, 'automations/invokeFunction', { id });
    return id;
  }
  const askForSecrets = async (id: string) => {
    const secrets = [{ name: 'STRIPE_KEY', hosts: ['api.stripe.com', 'b.example'] }];
    return (await app.call('automations/setFunctionSecrets', { id, secrets })).body.pendingChange;
  };
  const askForAll = async () => {
    const fn = await done(app, 'automations/createFunction', { name: `All of it ${crypto.randomUUID()}`, code: '1' });
    const access = { id: fn.id, capabilities: ['service'], seenVersion: fn.version };
    return (await app.call('automations/setFunctionCapabilities', access)).body.pendingChange;
  };
  const signIn = (page: Page, path: string) => signsIn(page, `${app.url}${path}`, app.ownerKey);
  const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

  it.each(cases(1, Object.entries(devices)))('is all on the page of the card, on %s', async (device, options) => {
    const page = await browser.open(options);
    const { id } = await askForSecrets(functionId);
    await signIn(page, `/approvals/${id}`);
    await mustFit(page);
    await browser.screenshot(page, `judging-${device}`);
    const says = async (name: string, text: string) =>
      expect([name, await region(page, name).innerText()]).toEqual([name, expect.stringContaining(text)]);
    await says('What becomes possible', "'Refund customers' may send STRIPE_KEY to b.example.");
    await says('What becomes possible', 'The code uses the secret OTHER_KEY');
    await says('What changes', '+ new: STRIPE_KEY to b.example');
    await says('The code that runs', '// <script>alert(1)</script>');
    await says('What starts it', 'A webhook, for anyone who has its link');
    await says('What it already has', 'STRIPE_KEY to api.stripe.com');
    await says('What it already has', 'Shop, which it reads and changes');
    await says('Its last runs', 'succeeded');
    expect(await page.getByText('You asked for this yourself.').count()).toBe(1);
    expect(await region(page, 'What changes').innerText()).not.toContain('{');
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.locator('.state strong').filter({ hasText: 'Rejected' }).waitFor();
    expect(await region(page, 'The code that runs').count()).toBe(0);
  });

  it.each(cases(1, Object.entries(devices)))(
    'stands out in the inbox and among decided cards, on %s',
    async (device, options) => {
      const risky = await askForAll();
      const plain = await askForSecrets(functionId);
      const page = await browser.open(options);
      await signIn(page, '/approvals');
      await mustFit(page);
      await browser.screenshot(page, `inbox-${device}`);
      const item = (id: string) => page.locator(`li[data-id="${id}"]`);
      expect(await item(risky.id).locator('.risk').innerText()).toBe('Full data access');
      expect(await item(plain.id).locator('.risk').count()).toBe(0);
      expect(await page.getByRole('heading', { name: 'Function Refund customers' }).count()).toBe(1);
      await done(app, 'approvals/rejectPendingChange', { id: risky.id });
      await page.getByRole('link', { name: 'Decided' }).click();
      await mustFit(page);
      await browser.screenshot(page, `decided-${device}`);
      expect(await item(risky.id).innerText()).toContain('Rejected by Owner');
      expect(await item(plain.id).count()).toBe(0);
    },
  );

  it('moves into its group in an open inbox, and the group disappears with its last card', async () => {
    const page = await browser.open(desktop);
    const opened = page.waitForResponse((response) => response.url().endsWith('/approvals/stream'));
    await signIn(page, '/approvals');
    await opened;
    const first = await askForAll();
    const heading = page.locator(`li[data-id="of-function-${first.target.id}"]`);
    await heading.waitFor();
    const order = await page.evaluate<string[]>(
      `[...document.querySelectorAll('[data-list="waiting"] > li')].map((item) => item.dataset.id)`,
    );
    expect(order.slice(0, 2)).toEqual([`of-function-${first.target.id}`, first.id]);
    await done(app, 'approvals/rejectPendingChange', { id: first.id });
    await heading.waitFor({ state: 'detached' });
  });
}
