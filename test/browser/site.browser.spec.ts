import { expect, it } from '@jest/globals';
import type { TestApp } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { done } from '../support/people.js';
import { describeInChromium, startsInBrowser, type TestBrowser } from '../support/sites/browser.js';

const clicks = `import { useState } from 'react';
export default function Clicks() {
  const [count, setCount] = useState(0);
  return <main className="p-8"><button className="bg-[rgb(1,2,3)]" onClick={() => setCount(count + 1)}>clicked {count}</button></main>;
}
`;

describeInChromium('a published site', (executablePath) => {
  let app: TestApp;
  let browser: TestBrowser;
  let origin: string;
  startsInBrowser(executablePath, async (started, chromium) => {
    [app, browser] = [started, chromium];
    const { id, subdomain } = await done(app, 'site/createProject', { name: 'Harbour tea' });
    await done(app, 'site/createPage', { projectId: id, name: 'Clicks', path: '/clicks', content: clicks });
    await done(app, 'site/publish', { id });
    const status = () => done(app, 'site/getPublishStatus', { projectId: id });
    expect(await eventually(status, (now) => now === null || now.stage === 'failed', 60_000)).toBeNull();
    origin = `http://${subdomain}.localhost:${new URL(app.url).port}`;
  });

  it('shows its styled starter page under the content security policy', async () => {
    const page = await browser.open();
    await page.goto(origin);
    const heading = page.getByRole('heading', { name: 'Harbour tea' });
    await heading.waitFor();
    expect(await page.evaluate("getComputedStyle(document.querySelector('h1')).fontWeight")).toBe('700');
    expect(await page.title()).toBe('Harbour tea');
    await browser.screenshot(page, 'site-starter');
  }, 60_000);

  it('hydrates its pages', async () => {
    const page = await browser.open();
    const told: string[] = [];
    page.on('console', (said) => {
      if (said.type() === 'error') told.push(said.text());
    });
    await page.goto(`${origin}/clicks`);
    const button = page.getByRole('button');
    await eventually(
      async () => {
        await button.click();
        return button.textContent();
      },
      (text) => text !== 'clicked 0',
    );
    expect(await page.evaluate("getComputedStyle(document.querySelector('button')).backgroundColor")).toBe(
      'rgb(1, 2, 3)',
    );
    expect(told).toEqual([]);
  }, 60_000);
});
