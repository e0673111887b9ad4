import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** Debian's, or where CHROMIUM says. */
export const chromiumPath = [process.env['CHROMIUM'] ?? '', '/usr/bin/chromium'].find((path) => existsSync(path));

/** A real browser. What goes wrong in its pages is kept, to be looked at when a test ends. */
export class TestBrowser {
  /** Errors of scripts and refusals of the content security policy. */
  readonly complaints: string[] = [];
  private readonly contexts: BrowserContext[] = [];
  private readonly folder = process.env['SCREENSHOTS'] ?? mkdtempSync(join(tmpdir(), 'countersign-screenshots-'));

  private constructor(private readonly browser: Browser) {}

  static async start(executablePath: string): Promise<TestBrowser> {
    // Chromium's own sandbox wants a user that is not root; nothing but our own pages is shown here.
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

  /** For a person to look at: into SCREENSHOTS, or a temporary folder. A busy machine may be unable to make one. */
  async screenshot(page: Page, name: string): Promise<void> {
    const made = page.screenshot({ path: join(this.folder, `${name}.png`), fullPage: true });
    await made.catch((error: unknown) => process.stderr.write(`No screenshot ${name}: ${String(error)}\n`));
  }

  async closePages(): Promise<void> {
    for (const context of this.contexts.splice(0)) await context.close();
  }

  async close(): Promise<void> {
    await this.browser.close();
  }
}
