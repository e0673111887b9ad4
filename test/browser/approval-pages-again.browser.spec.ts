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

describeInChromium('approval pages in a browser, by keyboard, in dark mode and after a restart', inBrowser);

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
  const state = (page: Page) => page.locator('.state strong');

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

  // Must be the last test, because it replaces the service.
  it('reconnect when the service comes back', async () => {
    const page = await browser.open(desktop);
    const opened = page.waitForResponse((response) => response.url().endsWith('/approvals/stream'));
    await signIn(page, '/approvals');
    await opened;
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
