import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { SmtpMail } from '../../../src/adapters/mail/smtp/smtp-mail.adapter.js';
import { Mail } from '../../../src/ports/network/mail.port.js';
import type { TestApp } from '../../support/app.js';
import { MailServerForTests } from '../../support/mail/mail-server.js';
import { allowingLoopback, createMailbox, mailboxAt, mailOfTests, password } from '../../support/mail/mailboxes.js';
import { done } from '../../support/people.js';
import { type Processes, startProcesses } from '../../support/processes.js';
import { CampaignSite } from '../../support/sites/campaigns.js';

let processes: Processes;
let first: TestApp;
let second: TestApp;
let server: MailServerForTests;
let mailbox: { readonly id: string };
beforeAll(async () => {
  // Slow enough that a process can stop in the middle of a campaign.
  const onRcptTo = (_: unknown, __: unknown, done: () => void) => void setTimeout(done, 100);
  server = await MailServerForTests.start({ password, options: { onRcptTo } });
  processes = await startProcesses(allowingLoopback);
  const start = () => processes.start('all', {}, [mailOfTests()]);
  first = await start();
  second = await start();
  mailbox = await createMailbox(second, mailboxAt(server, { hourlyLimit: 10_000 }));
}, 60_000);
afterAll(async () => {
  await processes.close();
  await server.close();
});

/** Counts the mails that this process sends from now on. */
function countMails(app: TestApp): () => number {
  const mail = app.app.get(Mail, { strict: false });
  let count = 0;
  const send = SmtpMail.prototype.send.bind(mail);
  mail.send = (...sent) => {
    count += 1;
    return send(...sent);
  };
  return () => count;
}
const receivedOnce = (emails: readonly string[]) =>
  expect(server.received.map(({ to }) => to[0]).toSorted()).toEqual(emails.toSorted());

it('processes share a campaign and the hourly limit of its mailbox, and a pause stops all of them', async () => {
  const limitTo = (hourlyLimit: number) =>
    done(second, 'automations/updateMailAccount', { id: mailbox.id, hourlyLimit });
  const counts = [countMails(first), countMails(second)];
  const site = await CampaignSite.of(second);
  const emails = await site.users(220);
  await limitTo(150);
  const id = await site.draft();
  await site.done('sendCampaign', { id });
  await site.until(id, ({ stats, waitsFor }) => waitsFor === 'hourly-limit' && stats.sent === 150);
  expect(server.received).toHaveLength(150);
  for (const count of counts) expect(count()).toBeGreaterThan(0);
  await limitTo(10_000);
  await site.done('pauseCampaign', { id });
  expect((await site.shown(id)).stats).toMatchObject({ recipients: 220, sent: 150, waiting: 70 });
  await site.done('resumeCampaign', { id });
  const { stats } = await site.sent(id);
  expect(stats).toMatchObject({ recipients: 220, sent: 220, failed: 0, waiting: 0 });
  receivedOnce(emails);
  server.received.length = 0;
}, 300_000);

it('a campaign continues in another process when the one that sends it stops, and reaches each of its users once', async () => {
  const site = await CampaignSite.of(second);
  const emails = await site.users(120);
  const id = await site.draft();
  await site.done('sendCampaign', { id });
  await site.until(id, ({ stats }) => stats.sent > 20);
  await first.app.close();
  const { stats } = await site.until(id, ({ status }) => status === 'sent');
  expect(stats).toMatchObject({ recipients: 120, sent: 120, failed: 0, waiting: 0 });
  receivedOnce(emails);
}, 180_000);
