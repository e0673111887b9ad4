import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import type { TestApp } from '../app.js';
import { sharedApp } from '../shared-app.js';

const howToInstall = 'apt-get install chromium, or CHROMIUM=path';

/** Declares specs of pages in Chromium. Without Chromium they are skipped or, with CI=true, fail. */
export function describeInChromium(name: string, specs: (executablePath: string) => void): void {
  const { path, missing } = chromiumFor(process.env, existsSync);
  switch (missing) {
    case undefined:
      describe(name, () => specs(path));
      break;
    case 'fails':
      it(name, () => {
        throw new Error(`Chromium is not at ${path} (${howToInstall}).`);
      });
      break;
    case 'is skipped':
      it.skip(`${name}: only where Chromium is installed (${howToInstall})`, () => {});
  }
}

export const desktop = { viewport: { width: 1280, height: 900 } } satisfies BrowserContextOptions;
export const phone = {
  viewport: { width: 360, height: 740 },
  deviceScaleFactor: 2,
  isMobile: true,
  hasTouch: true,
} satisfies BrowserContextOptions;

/**
 * Starts a browser and the app before the surrounding specs, and closes them afterwards. A test fails if anything went
 * wrong in its pages.
 */
export function startsInBrowser(
  executablePath: string,
  prepare: (app: TestApp, browser: TestBrowser) => Promise<void>,
  start: () => Promise<TestApp> = sharedApp,
): void {
  let app: TestApp;
  let browser: TestBrowser;
  beforeAll(async () => {
    const starting = TestBrowser.start(executablePath);
    app = await start();
    browser = await starting;
    await prepare(app, browser);
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await app.close();
  });
  afterEach(async () => {
    const complaints = browser.complaints.splice(0);
    await browser.closePages();
    expect(complaints).toEqual([]);
  });
}

/** Opens an address that requires a sign-in, and signs in with the key. */
export async function signsIn(page: Page, address: string, key: string): Promise<void> {
  await page.goto(address);
  await page.getByLabel('Your key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(address);
}

/** Checks that the page does not scroll horizontally. */
export async function mustFit(page: Page): Promise<void> {
  const wider = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  expect(await page.evaluate(wider)).toBeLessThanOrEqual(0);
}

interface Surroundings {
  readonly CHROMIUM?: string;
  readonly CI?: string;
}

/**
 * Returns the path in CHROMIUM or, by default, Debian's. If Chromium is missing, also returns what happens to its
 * specs.
 */
export function chromiumFor({ CHROMIUM, CI }: Surroundings, isThere: (path: string) => boolean) {
  const path = CHROMIUM || '/usr/bin/chromium';
  if (isThere(path)) return { path };
  return { path, missing: CI === 'true' ? 'fails' : 'is skipped' } as const;
}

/** A real browser. It records what goes wrong in its pages, so that tests can check that at their end. */
export class TestBrowser {
  /** Script errors and violations of the content security policy. */
  readonly complaints: string[] = [];
  private readonly contexts: BrowserContext[] = [];

  private constructor(private readonly browser: Browser) {}

  static async start(executablePath: string): Promise<TestBrowser> {
    // Chromium's own sandbox does not run as root. It is switched off, because only our own pages are opened.
    return new TestBrowser(await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] }));
  }

  async open(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.browser.newContext(options);
    this.contexts.push(context);
    const page = await context.newPage();
    page.setDefaultTimeout(45_000);
    page.on('pageerror', ({ message }) => this.complaints.push(message));
    page.on('console', (said) => {
      if (/Content Security Policy|Refused to/.test(said.text())) this.complaints.push(said.text());
    });
    page.on('dialog', (dialog) => {
      this.complaints.push(`A dialog opened: ${dialog.message()}`);
      void dialog.dismiss();
    });
    return page;
  }

  /**
   * Stores a screenshot in the folder SCREENSHOTS, for people to look at. May fail on a busy machine, which fails no
   * test.
   */
  async screenshot(page: Page, name: string): Promise<void> {
    const folder = process.env['SCREENSHOTS'];
    if (folder === undefined) return;
    const made = page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
    await made.catch((error: unknown) => process.stderr.write(`No screenshot ${name}: ${String(error)}\n`));
  }

  async closePages(): Promise<void> {
    for (const context of this.contexts.splice(0)) await context.close();
  }

  async close(): Promise<void> {
    await this.browser.close();
  }
}
