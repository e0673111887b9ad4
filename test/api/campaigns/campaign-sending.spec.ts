import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Clock } from '../../../src/ports/clock.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { SettableClock } from '../../support/clocks/settable-clock.js';
import { eventually } from '../../support/eventually.js';
import { MailServerForTests } from '../../support/mail/mail-server.js';
import { allowingLoopback, createMailbox, mailboxAt, mailOfTests, password } from '../../support/mail/mailboxes.js';
import { done } from '../../support/people.js';
import { CampaignSite } from '../../support/sites/campaigns.js';

let app: TestApp;
let server: MailServerForTests;
let site: CampaignSite;
let mailbox: { readonly id: string };
const clock = new SettableClock();
beforeAll(async () => {
  server = await MailServerForTests.start({ password });
  app = await startApp({
    environment: allowingLoopback,
    replacements: [mailOfTests(), { provide: Clock, useValue: clock }],
  });
});
afterAll(async () => {
  await app.close();
  await server.close();
});
beforeEach(async () => {
  server.willing();
  server.received.length = 0;
  // Each test has its own mailbox, because the hourly limit applies to a mailbox.
  mailbox = await createMailbox(app, mailboxAt(server, { hourlyLimit: 10_000, isDefault: true }));
  site = await CampaignSite.of(app, clock);
});

const limitTo = (hourlyLimit: number) => done(app, 'automations/updateMailAccount', { id: mailbox.id, hourlyLimit });
const received = () => server.received.map(({ to }) => to[0]).toSorted();
const suppressed = () => site.done('listSuppressions');
const waitedFor = (waitsFor: string) => (campaign: { readonly waitsFor: string | null }) =>
  campaign.waitsFor === waitsFor;

describe('the hourly limit of the mailbox', () => {
  it('limits the mails of an hour; the rest waits for the next (SL-14, Q-S85)', async () => {
    await limitTo(3);
    const emails = await site.users(7);
    const id = await site.draft();
    await site.done('sendCampaign', { id });
    for (const sent of [3, 6]) {
      const { stats } = await site.until(id, (one) => one.stats.sent === sent && one.waitsFor === 'hourly-limit');
      expect(stats).toMatchObject({ recipients: 7, sent, waiting: 7 - sent, failed: 0 });
      expect(server.received).toHaveLength(sent);
      clock.pass(3_600_000);
    }
    await site.sent(id);
    expect(received()).toEqual(emails);
  });

  it('is shared with all other mail and other campaigns, and an increase is noticed within a minute', async () => {
    await limitTo(4);
    await site.users(3);
    const other = await CampaignSite.of(app, clock);
    await other.users(3);
    await done(app, 'automations/testMailAccount', { id: mailbox.id, to: 'someone@example.org' });
    const [id, otherId] = [await site.draft(), await other.draft()];
    await Promise.all([site.done('sendCampaign', { id }), other.done('sendCampaign', { id: otherId })]);
    const both = async () => [await site.shown(id), await other.shown(otherId)];
    await Promise.all([
      site.until(id, (one) => one.status === 'sent' || one.waitsFor !== null),
      other.until(otherId, (one) => one.status === 'sent' || one.waitsFor !== null),
    ]);
    expect((await both()).reduce((sum, { stats }) => sum + stats.sent, 0)).toBe(3);
    expect(server.received).toHaveLength(4);
    await limitTo(100);
    clock.pass(60_000);
    await Promise.all([site.sent(id), other.sent(otherId)]);
    expect(server.received).toHaveLength(7);
  });

  it('does not count mail that certainly was not sent', async () => {
    await limitTo(4);
    await site.users(4);
    server.atRecipient = (address) => (address.startsWith('u0@') ? '550 5.7.1 no' : undefined);
    expect((await site.send()).stats).toMatchObject({ sent: 3, failed: 1 });
    await done(app, 'automations/testMailAccount', { id: mailbox.id, to: 'someone@example.org' });
    const full = await app.call('automations/testMailAccount', { id: mailbox.id, to: 'someone@example.org' });
    expect(full.status).toBe(429);
  });
});

describe('an answer of the mail server', () => {
  it('that refuses a recipient counts as failed, and suppresses the address if it is bad', async () => {
    const bad = [
      '550 5.1.1 no such user',
      '550 5.1.2 bad system',
      '553 5.1.3 bad syntax',
      '550 5.1.6 moved',
      '556 5.1.10 null MX',
      '550 5.2.1 disabled',
      '550 no',
      '553 no',
    ];
    const answers = [...bad, '550 5.7.1 spam', '550 5.2.2 full', '550 5.1.8 sender', '554 no', '552 no'];
    const emails = await site.users(answers.length + 2);
    server.atRecipient = (address) => answers[emails.indexOf(address)];
    const { id, stats } = await site.send();
    expect(stats).toMatchObject({ recipients: emails.length, sent: 2, failed: answers.length, suppressed: 0 });
    const expected = bad.map((_, at) => ({ email: emails[at], reason: 'bounced', campaignId: id }));
    const byEmail = (one: { email: string }, other: { email: string }) => one.email.localeCompare(other.email);
    expect((await suppressed()).toSorted(byEmail)).toEqual(expected.map((one) => expect.objectContaining(one)));
  });

  it('that refuses the sender or the mail suppresses nobody', async () => {
    await site.users(2);
    server.atSender = '550 5.1.1 who are you';
    expect((await site.send()).stats).toMatchObject({ failed: 2 });
    server.willing();
    server.atMail = '550 spam';
    expect((await site.send()).stats).toMatchObject({ failed: 2 });
    expect(await suppressed()).toEqual([]);
  });

  it('that refuses every second recipient does not affect the others, who get one mail', async () => {
    const emails = await site.users(11);
    const odd = (address: string) => Number(/\d+/.exec(address)?.[0]) % 2 === 1;
    server.atRecipient = (address) => (odd(address) ? '550 5.7.1 no' : undefined);
    expect((await site.send()).stats).toMatchObject({ sent: 6, failed: 5 });
    expect(received()).toEqual(emails.filter((email) => !odd(email)).toSorted());
  });

  it('that defers a recipient is retried, and given up after the third time', async () => {
    const emails = await site.users(3);
    let asked = 0;
    server.atRecipient = (address) => {
      if (address !== emails[1]) return undefined;
      asked += 1;
      return '450 4.2.1 try later';
    };
    const id = await site.draft();
    await site.done('sendCampaign', { id });
    await site.until(id, ({ stats }) => stats.sent === 2);
    expect(await site.shown(id)).toMatchObject({ stats: { waiting: 1, failed: 0 } });
    const minuteLater = () => {
      // Setting the clock does not affect timers of mails in progress, so `pass` is needed too.
      clock.set(clock.now() + 61_000);
      clock.pass(200);
      return site.shown(id);
    };
    const { stats } = await eventually(minuteLater, ({ status }) => status === 'sent');
    expect([stats.sent, stats.failed, asked]).toEqual([2, 1, 3]);
    expect(received()).toEqual([emails[0], emails[2]]);
    expect(await suppressed()).toEqual([]);
  });

  it('that is missing after the mail leaves it uncertain: it failed, is not sent again, and ten such mails pause the mailbox', async () => {
    // More recipients than are in progress before ten missing answers stop the mailbox: nine, and the next ten.
    await site.users(30);
    server.atMail = 'drop';
    const id = await site.draft();
    await site.done('sendCampaign', { id });
    const { stats } = await site.until(id, waitedFor('mailbox'));
    // Recipients whose shared connection broke before their own mail was begun are not failed but waiting.
    expect(stats).toMatchObject({ recipients: 30, sent: 0, suppressed: 0, waiting: 30 - stats.failed });
    expect([stats.failed > 0, stats.waiting > 0]).toEqual([true, true]);
    expect(server.received).toEqual([]);
    const [one] = await site.done('listCampaignRecipients', { id, status: 'failed', limit: 1 });
    expect(one.reason).toContain('closed the connection');
    server.willing();
    clock.pass(61_000);
    expect((await site.sent(id)).stats).toEqual({ ...stats, sent: stats.waiting, waiting: 0 });
    expect(server.received).toHaveLength(stats.waiting);
  });

  it('that never arrives lets the campaign wait', async () => {
    await site.users(12);
    server.atSender = 'stall';
    const id = await site.draft();
    await site.done('sendCampaign', { id });
    const later = () => {
      clock.pass(10_000);
      return site.shown(id);
    };
    const { stats } = await eventually(later, waitedFor('mailbox'));
    expect(stats).toMatchObject({ sent: 0, failed: 0, waiting: 12 });
    server.willing();
    server.hangUp();
    clock.pass(61_000);
    expect((await site.sent(id)).stats).toMatchObject({ sent: 12 });
    expect(new Set(received()).size).toBe(12);
  });
});

describe('while a campaign waits', () => {
  it('users who unsubscribe are left out of the rest', async () => {
    await limitTo(1);
    const emails = await site.users(3);
    const id = await site.draft();
    await site.done('sendCampaign', { id });
    await site.until(id, waitedFor('hourly-limit'));
    const left = emails.filter((email) => !received().includes(email));
    await site.done('addSuppression', { email: left[0] });
    await limitTo(100);
    clock.pass(60_000);
    expect((await site.sent(id)).stats).toMatchObject({ sent: 2, suppressed: 1 });
    expect(received()).not.toContain(left[0]);
  });

  it('users who are deleted are counted as failed', async () => {
    await limitTo(1);
    const made = [await site.user('ada@example.org'), await site.user('bob@example.org')];
    const id = await site.draft();
    await site.done('sendCampaign', { id });
    await site.until(id, waitedFor('hourly-limit'));
    for (const { id: userId } of made) await site.done('deleteAppUser', { userId });
    await limitTo(100);
    clock.pass(60_000);
    expect((await site.sent(id)).stats).toMatchObject({ sent: 1, failed: 1 });
  });

  it('a clock that is set back neither stops it nor sends anything twice', async () => {
    await limitTo(2);
    const emails = await site.users(4);
    const id = await site.draft();
    await site.done('sendCampaign', { id });
    await site.until(id, waitedFor('hourly-limit'));
    clock.set(clock.now() - 2 * 3_600_000);
    await limitTo(100);
    expect((await site.sent(id)).stats).toMatchObject({ sent: 4 });
    expect(received()).toEqual(emails);
    clock.set(clock.now() + 2 * 3_600_000);
  });
});
