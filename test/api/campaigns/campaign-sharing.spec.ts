// Engines: one process, and several.
// Second tier.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.js';
import { MailServerForTests } from '../../support/mail/mail-server.js';
import { createMailbox, mailboxAt, password } from '../../support/mail/mailboxes.js';
import { CampaignSite } from '../../support/sites/campaigns.js';

let app: TestApp;
let server: MailServerForTests;
let site: CampaignSite;
beforeAll(async () => {
  // Slow enough that a campaign can be paused in the middle.
  const onRcptTo = (_: unknown, __: unknown, done: () => void) => void setTimeout(done, 50);
  server = await MailServerForTests.start({ password, security: 'none', options: { onRcptTo } });
  app = await startApp({ environment: { EGRESS_ALLOW: '127.0.0.1', SMTP_PLAINTEXT_ALLOW: '127.0.0.1' } });
  await createMailbox(app, mailboxAt(server, { hourlyLimit: 10_000 }));
  site = await CampaignSite.of(app);
}, 60_000);
afterAll(async () => {
  await app.close();
  await server.close();
});

it('a campaign of several batches is paused, resumed and exact while users are added and removed', async () => {
  const emails = await site.users(251);
  const id = await site.draft();
  await site.done('sendCampaign', { id });
  await site.until(id, ({ stats }) => stats.sent > 0);
  await site.done('pauseCampaign', { id });
  await site.user('late@example.org');
  // Each process completes the batch that it has in progress. The batches have 100, 100 and 51 recipients.
  await site.until(id, ({ stats }) => stats.recipients === 251 && [51, 100, 151, 200].includes(stats.sent));
  const { isPaused, stats: paused } = await site.shown(id);
  expect([isPaused, paused.waiting > 0]).toEqual([true, true]);
  const [{ userId, email }] = await site.done('listCampaignRecipients', { id, status: 'waiting', limit: 1 });
  await site.done('deleteAppUser', { userId });
  await site.done('resumeCampaign', { id });
  const { stats } = await site.sent(id);
  expect(stats).toMatchObject({ recipients: 251, sent: 250, failed: 1, suppressed: 0, waiting: 0 });
  expect(server.received.map(({ to }) => to[0]).toSorted()).toEqual(emails.filter((one) => one !== email).toSorted());
  const [failed, ...more] = await site.done('listCampaignRecipients', { id, status: 'failed' });
  expect([failed.userId, failed.email, failed.reason, more]).toEqual([userId, null, 'The user was deleted.', []]);
}, 180_000);
