import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { TestApp } from '../support/app.js';
import { type Person, person } from '../support/people.js';
import { describeInChromium, desktop, signsIn, startsInBrowser, type TestBrowser } from '../support/sites/browser.js';

describeInChromium('approval pages in a browser', inBrowser);

function inBrowser(executablePath: string): void {
  let app: TestApp;
  let browser: TestBrowser;
  let ada: Person;
  startsInBrowser(executablePath, async (startedApp, startedBrowser) => {
    [app, browser] = [startedApp, startedBrowser];
    ada = await person(app, 'admin');
  });

  const propose = async (name: string, capabilities = ['email']) => {
    const fn = (await app.call('automations/createFunction', { name, code: 'return 1' })).body;
    return (await app.call('automations/setFunctionCapabilities', { id: fn.id, capabilities })).body.pendingChange;
  };
  const signIn = (page: Page, path: string) => signsIn(page, `${app.url}${path}`, ada.key);

  it('show on an open card that it was decided elsewhere, and offer no decision any more', async () => {
    const page = await browser.open(desktop);
    const card = await propose('Decided elsewhere');
    const connected = page.waitForResponse((response) => response.url().endsWith('/approvals/stream'));
    await signIn(page, `/approvals/${card.id}`);
    await connected;
    await page.getByLabel('Reason for a rejection (optional)').fill('I was about to');
    await app.call('approvals/rejectPendingChange', { id: card.id });
    await page.getByRole('status').filter({ hasText: 'This change was rejected by Owner.' }).waitFor();
    await page.locator('.state strong').filter({ hasText: 'Rejected' }).waitFor();
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
