// Engines: one process.
import { afterEach, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { type Death, Fate } from '../../support/given/mortal-vault.js';
import { done } from '../../support/people.js';
import { visitorPassword as password, siteVisitors, visitorsOf } from '../../support/sites/site-visitors.js';

let app: TestApp;
afterEach(() => app.close());

const email = 'ada@example.com';

describe('an acknowledged sign-up', () => {
  it.each<Death>([
    { at: 'seal', when: 'before', beginning: 'site-token/' },
    { at: 'seal', when: 'after', beginning: 'site-token/' },
    { at: 'seal', when: 'before', beginning: 'site-mail/' },
    { at: 'seal', when: 'after', beginning: 'site-mail/' },
  ])('is mailed once, even if the process dies: $at, $when, $beginning', async (death) => {
    const fate = new Fate();
    app = await startApp({ replacements: [fate.provider], several: false });
    let site = await siteVisitors(app, { authRequireEmail: true });
    fate.death = death;
    expect((await site.post('auth/signup', { email, password })).status).toBe(200);
    await eventually(
      async () => fate.died,
      (died) => died,
    );
    const next = await app.restart();
    fate.revive();
    app = next;
    site = visitorsOf(app, site.projectId);
    // Mail is sent in the order of the log, so once this second mail has arrived no other follows for the first user.
    await site.post('auth/signup', { email: 'bob@example.com', password });
    const mails = await eventually(
      async () => (await done(app, 'site/listOutgoingMail', { projectId: site.projectId })).mails,
      ({ length }: readonly { readonly to: string; readonly link: string }[]) => length >= 2,
    );
    expect(mails.map(({ to }) => to).sort()).toEqual([email, 'bob@example.com']);
    for (const { link } of mails) {
      const token = new URL(link).searchParams.get('token');
      expect((await site.post('auth/verify-email', { token })).status).toBe(200);
    }
    expect(await site.logIn(email)).toMatch(/^[\w-]{32}$/);
  });
});
