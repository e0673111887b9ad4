import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { startApp, type TestApp } from '../support/app.js';
import { cases } from '../support/depth.js';
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

describeInChromium('approval pages in a browser', inBrowser);

function inBrowser(executablePath: string): void {
  let app: TestApp;
  let browser: TestBrowser;
  let ada: Person;
  startsInBrowser(
    executablePath,
    async (startedApp, startedBrowser) => {
      [app, browser] = [startedApp, startedBrowser];
      ada = await person(app, 'admin');
      await app.call('workspace/updateMember', { id: ada.id, name: 'Ada Lovelace' });
    },
    startApp,
  );

  const propose = async (name: string, capabilities = ['email']) => {
    const fn = (await app.call('automations/createFunction', { name, code: 'return 1' })).body;
    return (await app.call('automations/setFunctionCapabilities', { id: fn.id, capabilities })).body.pendingChange;
  };
  const getCard = async (id: string) => (await app.call('approvals/getPendingChange', { id })).body;
  const decide = (operation: string, { id, hash }: { id: string; hash?: string }) =>
    app.call(`approvals/${operation}`, { id, ...(operation.startsWith('approve') ? { hash } : {}) });

  const signIn = (page: Page, path: string) => signsIn(page, `${app.url}${path}`, ada.key);
  /** Signs in and waits until the page is connected to the event stream. */
  const signInLive = async (page: Page, path: string, key = ada.key) => {
    const opened = page.waitForResponse((response) => response.url().endsWith('/approvals/stream'));
    await signsIn(page, `${app.url}${path}`, key);
    await opened;
  };
  const state = (page: Page) => page.locator('.state strong');

  it.each(
    cases(1, [
      { device: 'desktop', scripts: 'on' },
      { device: 'phone', scripts: 'off' },
      { device: 'desktop', scripts: 'off' },
      { device: 'phone', scripts: 'on' },
    ]),
  )(
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
    await decide('approvePendingChange', card);
    await link.waitFor({ state: 'detached' });
    await page.getByRole('status').filter({ hasText: 'was approved by Owner.' }).waitFor();
    await ending.getByRole('status').filter({ hasText: 'You are no longer signed in.' }).waitFor();
  }, 120_000);

  it('show on an open card that it was decided elsewhere, and offer no decision any more', async () => {
    const page = await browser.open(desktop);
    const card = await propose('Decided elsewhere');
    await signInLive(page, `/approvals/${card.id}`);
    await page.getByLabel('Reason for a rejection (optional)').fill('I was about to');
    await decide('rejectPendingChange', card);
    await page.getByRole('status').filter({ hasText: 'This change was rejected by Owner.' }).waitFor();
    await state(page).filter({ hasText: 'Rejected' }).waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    await browser.screenshot(page, 'card-decided-elsewhere');
  }, 120_000);

  it('run no script that a user wrote, and load nothing from other hosts', async () => {
    const page = await browser.open(desktop);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).host));
    const card = await propose('<img src=x onerror=alert(1)><svg/onload=alert(2)>');
    await signIn(page, `/approvals/${card.id}`);
    expect(await page.locator('main img, main svg, main script').count()).toBe(0);
    expect(new Set(asked)).toEqual(new Set([new URL(app.url).host]));
  }, 120_000);
}
