// Second tier.
import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { startApp, type TestApp } from '../support/app.js';
import { approved } from '../support/approved.js';
import { type Person, person } from '../support/people.js';
import {
  describeInChromium,
  desktop,
  mustFit,
  phone,
  signsIn,
  startsInBrowser,
  type TestBrowser,
} from '../support/sites/browser.js';

describeInChromium(
  'approval pages in a browser: decisions, live updates, keyboard, dark mode and a restart',
  inBrowser,
);

function inBrowser(executablePath: string): void {
  let app: TestApp;
  let browser: TestBrowser;
  let ada: Person;
  startsInBrowser(
    executablePath,
    async (startedApp, startedBrowser) => {
      [app, browser] = [startedApp, startedBrowser];
      ada = await person(app, 'admin');
    },
    startApp,
  );

  const propose = async (name: string, capabilities = ['email']) => {
    const fn = (await app.call('automations/createFunction', { name, code: 'return 1' })).body;
    return (await app.call('automations/setFunctionCapabilities', { id: fn.id, capabilities })).body.pendingChange;
  };
  const getCard = async (id: string) => (await app.call('approvals/getPendingChange', { id })).body;
  const signIn = (page: Page, path: string) => signsIn(page, `${app.url}${path}`, ada.key);
  /** Signs in and waits until the page is connected to the event stream. */
  const signInLive = async (page: Page, path: string, key = ada.key) => {
    const opened = page.waitForResponse((response) => response.url().endsWith('/approvals/stream'));
    await signsIn(page, `${app.url}${path}`, key);
    await opened;
  };
  const state = (page: Page) => page.locator('.state strong');

  it.each([
    { device: 'desktop', scripts: 'on' },
    { device: 'phone', scripts: 'off' },
    { device: 'desktop', scripts: 'off' },
    { device: 'phone', scripts: 'on' },
  ])(
    'on a $device with scripts $scripts, lead from the link through the sign-in to the decision',
    async ({ device, scripts }) => {
      const name = `${device}-scripts-${scripts}`;
      const options = { ...(device === 'phone' ? phone : desktop), javaScriptEnabled: scripts === 'on' };
      const page = await browser.open(options);
      const [approved, rejected] = [await propose(`Invoice reminder ${name}`), await propose(`Newsletter ${name}`)];
      await page.goto(`${app.url}/approvals/${approved.id}`);
      await browser.screenshot(page, `${name}-sign-in`);
      await signIn(page, `/approvals/${approved.id}`);
      await mustFit(page);
      await browser.screenshot(page, `${name}-card`);
      await page.getByRole('button', { name: 'Approve' }).click();
      await state(page).filter({ hasText: 'Approved' }).waitFor();
      await browser.screenshot(page, `${name}-approved`);
      await page.getByRole('link', { name: 'All approvals' }).click();
      await page.getByRole('link', { name: rejected.summary }).click();
      await page.getByLabel('Reason for a rejection (optional)').fill('Not before the audit');
      await page.getByRole('button', { name: 'Reject' }).click();
      await state(page).filter({ hasText: 'Rejected' }).waitFor();
      expect((await getCard(approved.id)).status).toBe('applied');
      expect(await getCard(rejected.id)).toMatchObject({ status: 'rejected', reason: 'Not before the audit' });
      await page.goto(`${app.url}/approvals`);
      await mustFit(page);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.waitForURL(/\/approvals\/sign-in/);
      await page.goto(`${app.url}/approvals`);
      expect(new URL(page.url()).pathname).toBe('/approvals/sign-in');
    },
    60_000,
  );

  it('can be used with the keyboard alone, in a sensible order', async () => {
    const page = await browser.open(desktop);
    const card = await propose('By keyboard');
    await page.goto(`${app.url}/approvals/${card.id}`);
    const press = (key: string) => page.keyboard.press(key);
    const tabTo = async (name: string) => {
      for (let steps = 0; steps < 20; steps++) {
        await press('Tab');
        const focused = await page.evaluate<string>(
          'document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent.trim()',
        );
        if (focused === name) return steps + 1;
      }
      throw new Error(`The Tab key does not lead to ${name}.`);
    };
    await tabTo('Your key');
    await page.keyboard.type(ada.key);
    await press('Enter');
    await page.waitForURL(`${app.url}/approvals/${card.id}`);
    expect(await tabTo('Skip to the content')).toBe(1);
    await press('Enter');
    expect(await tabTo('All approvals')).toBe(1);
    // The third stop, after the code's fold and its scrollable box.
    expect(await tabTo('Approve')).toBe(3);
    await browser.screenshot(page, 'keyboard-focus');
    await press('Enter');
    await state(page).filter({ hasText: 'Approved' }).waitFor();
    expect((await getCard(card.id)).status).toBe('applied');
  }, 120_000);

  it('show a long change in dark mode too', async () => {
    const before = Array.from({ length: 40 }, (_, n) => `  total += params.items[${n}].price * 1.${n}; // line ${n}`);
    const after = before.flatMap((line, n) =>
      n === 12 ? ['  const rate = 0.19;', line.replace('1.12', 'rate')] : line,
    );
    const fn = (await app.call('automations/createFunction', { name: 'Order total', code: before.join('\n') })).body;
    const access = { id: fn.id, capabilities: ['service'], seenVersion: fn.version };
    await approved(app, await app.call('automations/setFunctionCapabilities', access));
    const { updatedAt: seenUpdatedAt } = (await app.call('automations/getFunction', { id: fn.id })).body;
    const change = {
      id: fn.id,
      code: after.join('\n'),
      timeout: 60_000,
      toolSpec: { inputSchema: { type: 'object' } },
    };
    const saved = (await app.call('automations/updateFunction', { ...change, seenUpdatedAt })).body;
    const publication = { id: fn.id, versionId: saved.draft.versionId };
    const { id } = (await app.call('automations/publishFunction', publication)).body.pendingChange;
    for (const [name, options] of Object.entries({ 'desktop-dark': desktop, 'phone-dark': phone })) {
      const page = await browser.open({ ...options, colorScheme: 'dark' });
      await signIn(page, `/approvals/${id}`);
      expect(await page.locator('tr.added, tr.removed').count()).toBeGreaterThanOrEqual(3);
      await mustFit(page);
      await browser.screenshot(page, name);
    }
  }, 120_000);

  it('update live: cards appear and disappear in the inbox, and an ended session is reported', async () => {
    const { key, keyId } = await person(app, 'editor');
    const ending = await browser.open(desktop);
    await signInLive(ending, '/approvals', key);
    await app.call('workspace/revokeApiKey', { id: keyId });
    // That page reconnects and notices the end of its session only after three seconds.
    const page = await browser.open(desktop);
    await signInLive(page, '/approvals');
    const card = await propose('<b>Comes</b> and goes\u202e');
    const link = page.locator(`a[href="/approvals/${card.id}"]`);
    await link.waitFor();
    await page
      .getByRole('status')
      .filter({ hasText: "New: Give the function '<b>Comes</b> and goes⟦U+202E⟧'" })
      .waitFor();
    await browser.screenshot(page, 'inbox-live');
    await link.focus();
    const other = await propose('Comes later');
    await page.locator(`a[href="/approvals/${other.id}"]`).waitFor();
    expect(
      await page.evaluate<boolean>(`document.activeElement.getAttribute('href') === '/approvals/${card.id}'`),
    ).toBe(true);
    await app.call('approvals/approvePendingChange', { id: card.id, hash: card.hash });
    await link.waitFor({ state: 'detached' });
    await page.getByRole('status').filter({ hasText: 'was approved by Owner.' }).waitFor();
    await ending.getByRole('status').filter({ hasText: 'You are no longer signed in.' }).waitFor();
  }, 120_000);

  // Must be the last test, because it replaces the service.
  it('reconnect when the service comes back', async () => {
    const page = await browser.open(desktop);
    await signInLive(page, '/approvals');
    const { dataDir, ownerKey, url } = app;
    await app.app.close();
    const again = await startApp({ dataDir, ownerKey, port: Number(new URL(url).port) });
    try {
      const fn = (await again.call('automations/createFunction', { name: 'After', code: 'return 1' })).body;
      const input = { id: fn.id, capabilities: ['email'] };
      const { id } = (await again.call('automations/setFunctionCapabilities', input)).body.pendingChange;
      await page.locator(`a[href="/approvals/${id}"]`).waitFor();
    } finally {
      await again.close();
    }
  }, 120_000);
}
