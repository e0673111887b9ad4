import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { MailServerForTests } from '../../support/mail/mail-server.js';
import { allowingLoopback, createMailbox, mailboxAt, mailOfTests, password } from '../../support/mail/mailboxes.js';
import { type Processes, startProcesses } from '../../support/processes.js';
import { CampaignSite } from '../../support/sites/campaigns.js';

let processes: Processes;
let first: TestApp;
let second: TestApp;
let server: MailServerForTests;
beforeAll(async () => {
  // Slow enough for a process to stop in the middle of it.
  const onRcptTo = (_: unknown, __: unknown, done: () => void) => void setTimeout(done, 100);
  server = await MailServerForTests.start({ password, options: { onRcptTo } });
  processes = await startProcesses(allowingLoopback);
  const start = () => processes.start('all', {}, [mailOfTests()]);
  first = await start();
  second = await start();
}, 60_000);
afterAll(async () => {
  await processes.close();
  await server.close();
});

it('a campaign goes on in another process when the one that sends it stops, and reaches each of its users once', async () => {
  await createMailbox(second, mailboxAt(server, { hourlyLimit: 10_000 }));
  const site = await CampaignSite.of(second);
  const emails = await site.users(120);
  const id = await site.draft();
  await site.done('sendCampaign', { id });
  await site.until(id, ({ stats }) => stats.sent > 20);
  await first.app.close();
  const { stats } = await site.until(id, ({ status }) => status === 'sent');
  expect(stats).toMatchObject({ recipients: 120, sent: 120, failed: 0, waiting: 0 });
  expect(server.received.map(({ to }) => to[0]).toSorted()).toEqual(emails.toSorted());
}, 180_000);
