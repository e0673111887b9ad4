// Second tier.
import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { TestApp } from '../support/app.js';
import { cases } from '../support/depth.js';
import { done, type Person, person } from '../support/people.js';
import {
  describeInChromium,
  desktop,
  mustFit,
  phone,
  signsIn,
  startsInBrowser,
  type TestBrowser,
} from '../support/sites/browser.js';

describeInChromium('audit pages in a browser', inBrowser);

function inBrowser(executablePath: string): void {
  let app: TestApp;
  let browser: TestBrowser;
  let ada: Person;
  let functionId: string;
  startsInBrowser(executablePath, async (startedApp, startedBrowser) => {
    [app, browser] = [startedApp, startedBrowser];
    ada = await person(app, 'admin');
    const fn = await done(app, 'automations/createFunction', { name: 'Order total', code: 'return 1;' });
    functionId = fn.id;
    for (const description of ['one', 'two', 'three']) {
      const { updatedAt: seenUpdatedAt } = await done(app, 'automations/getFunction', { id: fn.id });
      await done(app, 'automations/updateFunction', { id: fn.id, seenUpdatedAt, description });
    }
  });

  const signIn = (page: Page, path: string) => signsIn(page, `${app.url}${path}`, ada.key);
  /** Expects a page without horizontal scrolling, with a single h1 and with a label for every field. */
  const mustBeInOrder = async (page: Page) => {
    await mustFit(page);
    expect(await page.locator('h1').count()).toBe(1);
    const unlabelled =
      "[...document.querySelectorAll('input:not([type=hidden]), select')].filter((one) => one.labels.length === 0).length";
    expect(await page.evaluate(unlabelled)).toBe(0);
  };

  describe('for a reader in a time zone with another date than UTC', () => {
    /** A zone in which the date always differs from that in UTC: yesterday's or tomorrow's. */
    const timezoneId = new Date().getUTCHours() < 12 ? 'Etc/GMT+12' : 'Etc/GMT-14';
    const dayIn = (timeZone: string, at: Date) =>
      at.toLocaleDateString('en-GB', { timeZone, weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });

    it("show days and filters in the reader's zone", async () => {
      const page = await browser.open({ ...desktop, timezoneId });
      await signIn(page, '/audit');
      const days = page.locator('[data-days] h2');
      expect(await days.allTextContents()).toEqual([dayIn(timezoneId, new Date())]);
      const from = page.getByLabel('From (your time)');
      await from.fill('2026-01-02T03:04:05');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.waitForURL(/from=/);
      const sent = new URL(page.url()).searchParams.get('from');
      expect(sent).toBe(timezoneId === 'Etc/GMT+12' ? '2026-01-02T15:04:05' : '2026-01-01T13:04:05');
      expect(await page.getByLabel('From (your time)').inputValue()).toBe('2026-01-02T03:04:05');
      expect(await days.count()).toBe(1);
    });

    it('state that times are in UTC if scripts are off', async () => {
      const page = await browser.open({ ...desktop, timezoneId, javaScriptEnabled: false });
      await signIn(page, '/audit');
      expect(await page.locator('[data-days] h2').allTextContents()).toEqual([`${dayIn('UTC', new Date())} (UTC)`]);
      expect(await page.getByLabel('From (UTC)').count()).toBe(1);
    });
  });

  const devices = [
    ['a desktop', desktop],
    ['a phone without scripts', { ...phone, javaScriptEnabled: false }],
    ['a phone', phone],
  ] as const;
  describe.each(cases(1, devices))('on %s', (where, options) => {
    it('show the timeline and the causes of an event, and link to the resource and its versions', async () => {
      const page = await browser.open(options);
      await signIn(page, '/audit?kind=function');
      await mustBeInOrder(page);
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Audit');
      await page.getByRole('link', { name: 'Function details changed' }).first().click();
      await mustBeInOrder(page);
      expect(await page.getByRole('heading', { name: 'Cause and effect' }).count()).toBe(1);
      await browser.screenshot(page, `audit-event-${where.replaceAll(' ', '-')}`);
      await page.locator('.facts a[href*="/audit/resources/function/"]').click();
      await page.waitForURL(/\/audit\/resources\/function\//);
      await mustBeInOrder(page);
      expect(await page.locator('section', { has: page.locator('#then') }).textContent()).toContain('three');
      expect(await page.locator('.event h3').last().textContent()).toContain(
        'Changed description from "two" to "three"',
      );
    });

    it('show a version chosen on the slider, and compare two versions, with the keyboard alone', async () => {
      const page = await browser.open(options);
      await signIn(page, `/audit/resources/function/${functionId}`);
      await page.locator('#version').focus();
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.waitForURL(/version=3/);
      expect(await page.locator('main').textContent()).toContain('Version 3 of 4');
      await page.getByRole('button', { name: 'Compare' }).focus();
      await page.keyboard.press('Enter');
      await page.waitForURL(/from=\d+&to=\d+/);
      await browser.screenshot(page, `audit-resource-${where.replaceAll(' ', '-')}`);
      expect(await page.locator('.change', { hasText: 'description' }).locator('.before').textContent()).toContain(
        'two',
      );
      expect(await page.locator('.change', { hasText: 'description' }).locator('.after').textContent()).toContain(
        'three',
      );
      await mustBeInOrder(page);
    });
  });

  it('ask before undoing a change, report what was undone, and mark the undone event', async () => {
    const fn = await done(app, 'automations/createFunction', { name: 'To be undone', code: 'return 1;' });
    await done(app, 'automations/updateFunction', { id: fn.id, description: 'wrong' });
    const page = await browser.open({ ...phone, javaScriptEnabled: false });
    await signIn(page, `/audit?id=${fn.id}`);
    await page.getByRole('link', { name: 'Function details changed' }).click();
    await page.getByRole('button', { name: 'Undo this change' }).click();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Undo this change?');
    await mustBeInOrder(page);
    await browser.screenshot(page, 'audit-undo');
    expect((await done(app, 'automations/getFunction', { id: fn.id })).description).toBe('wrong');
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.waitForURL(/\/audit\/events\/\d+$/);
    expect(await page.getByRole('status').last().textContent()).toBe('This undid Function details changed.');
    expect((await done(app, 'automations/getFunction', { id: fn.id })).description).toBe('');
    await page.getByRole('link', { name: 'Function details changed' }).first().click();
    expect(await page.getByRole('status').last().textContent()).toContain('Undone by');
    expect(await page.getByRole('button', { name: 'Undo this change' }).count()).toBe(0);
  });

  it('download the export with the session of the page', async () => {
    const page = await browser.open(desktop);
    await signIn(page, '/audit/export');
    await mustBeInOrder(page);
    // The page stays, so the export can be downloaded again.
    for (let count = 0; count < 2; count += 1) {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download' }).click(),
      ]);
      expect(download.suggestedFilename()).toBe('audit.ndjson');
    }
  });

  it('explain a refusal by its decision id', async () => {
    const { key } = await person(app, 'viewer');
    const { body } = await app.call('automations/createFunction', { name: 'x', code: '' }, key);
    const page = await browser.open(phone);
    await signIn(page, '/audit');
    await page.getByLabel('Decision id of the refusal').fill(body.decisionId);
    await page.getByRole('button', { name: 'Explain' }).click();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Why it was refused');
    await mustBeInOrder(page);
    await browser.screenshot(page, 'audit-decision');
  });
}
