import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { MailServerForTests } from '../../support/mail/mail-server.js';
import { createMailbox, mailboxAt, password } from '../../support/mail/mailboxes.js';
import { arrived } from '../../support/mail/site-mail.js';
import { done } from '../../support/people.js';
import { sharedOutside } from '../../support/shared-outside.js';
import { siteVisitors, visitorPassword } from '../../support/sites/site-visitors.js';

interface Waiting {
  readonly kind: string;
  readonly error: string | null;
}
let app: TestApp;
let server: MailServerForTests;
beforeAll(async () => {
  server = await MailServerForTests.start({ password });
  app = await sharedOutside();
});
afterAll(async () => {
  await app.close();
  await server.close();
});

it("sign-ups by strangers leave half of the mailbox's hour for password resets of users", async () => {
  const site = await siteVisitors(app, { authRequireEmail: true });
  const { projectId } = site;
  const { name } = await createMailbox(app, mailboxAt(server, { projectId, hourlyLimit: 5 }));
  await done(app, 'site/updateProjectAuth', { id: projectId, authMailAccount: name });
  await site.user('ada@example.com');
  for (let n = 0; n < 6; n++) {
    await site.post('auth/signup', { email: `stranger-${n}@example.com`, password: visitorPassword });
  }
  await site.post('auth/signup', { email: 'ada@example.com', password: visitorPassword });
  await site.post('auth/forgot-password', { email: 'stranger-0@example.com' });
  const waiting = await eventually(
    async () => (await done(app, 'site/listOutgoingMail', { projectId })).mails,
    (mails: readonly Waiting[]) => mails.length === 5 && mails.every(({ error }) => error !== null),
    30_000,
  );
  expect(waiting.map(({ kind }) => kind).sort()).toEqual(['reset', 'taken', 'verify', 'verify', 'verify']);
  expect(server.received).toHaveLength(3);
  await site.post('auth/forgot-password', { email: 'ada@example.com' });
  expect((await arrived(server, 'ada@example.com')).mail.text).toContain('/reset-password?token=');
}, 60_000);
