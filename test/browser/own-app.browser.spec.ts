// Second tier.
import { expect, it } from '@jest/globals';
import type { TestApp } from '../support/app.js';
import { done } from '../support/people.js';
import { describeInChromium, startsInBrowser, type TestBrowser } from '../support/sites/browser.js';
import { ownApp } from '../support/sites/module-pages.js';
import { OwnApp } from '../support/sites/own-app.js';

const everybody = { type: 'public', scope: 'everywhere' };

describeInChromium('the module of pages', (executablePath) => {
  let app: TestApp;
  let browser: TestBrowser;
  let projectId: string;
  startsInBrowser(executablePath, async (started, chromium) => {
    [app, browser] = [started, chromium];
    ({ id: projectId } = await done(app, 'site/createProject', { name: 'Shop' }));
    await done(app, 'site/updateProjectAuth', { id: projectId, authEnabled: true, authAllowSignup: true });
    const code = "return { text: params.item + ' costs 5' };";
    const accessRules = { execute: [everybody] };
    await done(app, 'site/createBackendFunction', { projectId, name: 'prices', code, accessRules });
  });

  it('is a typed package for apps hosted elsewhere, which works from the origins that the site allows', async () => {
    const own = await OwnApp.start(ownApp);
    try {
      expect([own.typesOf('bundler'), own.typesOf('nodenext'), own.complaints()]).toEqual([
        'site.d.ts',
        'site.d.ts',
        [],
      ]);
      await own.bundle({ API: JSON.stringify(`${app.url}/api/app/${projectId}`) });
      const page = await browser.open();
      const errors: string[] = [];
      page.on('console', (said) => {
        if (said.type() === 'error' || said.type() === 'warning') errors.push(said.text());
      });
      await page.goto(own.origin);
      await page.getByText('No editor').waitFor();
      const ask = () => page.getByRole('button', { name: 'Ask' }).click();
      await ask();
      await page.getByText('unreachable').waitFor();
      await done(app, 'site/updateProjectAuth', { id: projectId, allowedOrigins: [own.origin] });
      errors.splice(0);
      await ask();
      await page.getByText('tea costs 5').waitFor();
      await page.getByRole('button', { name: 'Sign up' }).click();
      await page.getByRole('heading', { name: 'Dan' }).waitFor();
      await page.reload();
      await page.getByRole('heading', { name: 'Dan' }).waitFor();
      expect([errors, await page.context().cookies()]).toEqual([[], []]);
    } finally {
      await own.close();
    }
  }, 120_000);
});
