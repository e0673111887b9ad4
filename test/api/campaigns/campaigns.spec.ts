import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { MailServerForTests } from '../../support/mail/mail-server.js';
import { createMailbox, mailboxAt, password } from '../../support/mail/mailboxes.js';
import { done, otherWorkspace, person } from '../../support/people.js';
import { type OutsideApp, sharedOutside } from '../../support/shared-outside.js';
import { CampaignSite } from '../../support/sites/campaigns.js';

let app: OutsideApp;
let server: MailServerForTests;
let site: CampaignSite;
let clock: OutsideApp['clock'];
beforeAll(async () => {
  server = await MailServerForTests.start({ password });
  app = await sharedOutside();
  ({ clock } = app);
  await createMailbox(app, mailboxAt(server, { hourlyLimit: 10_000 }));
});
afterAll(async () => {
  await app.close();
  await server.close();
});
beforeEach(async () => {
  server.willing();
  server.received.length = 0;
  site = await CampaignSite.of(app, clock);
});

/** Also closes open connections, because they are signed in already. */
function refuseSignIns(): void {
  server.atLogin = '535 5.7.8 not now';
  server.hangUp();
}

/**
 * Makes a campaign of another site wait for the same mailbox. By the time it continues, any earlier waiting campaign
 * would too.
 */
async function anotherWaits() {
  const other = await CampaignSite.of(app, clock);
  await other.user('other@example.org');
  const id = await other.draft();
  await other.done('sendCampaign', { id });
  await other.until(id, ({ waitsFor }) => waitsFor === 'mailbox');
  return { goesOn: () => other.sent(id) };
}

const received = () => server.received.map(({ to }) => to[0]).toSorted();
const none = { recipients: 0, sent: 0, failed: 0, suppressed: 0, waiting: 0, unsubscribed: 0 };

describe('a campaign', () => {
  it('has name, subject, html, text, audienceRules, status and send stats (SR-11)', async () => {
    const id = await site.draft();
    expect(await site.done('listCampaigns')).toEqual([
      {
        id,
        name: 'News',
        subject: 'News',
        html: '<p>Hello {{userName}}</p>',
        text: null,
        audienceRules: null,
        status: 'draft',
        scheduledAt: null,
        startedAt: null,
        sentAt: null,
        isPaused: false,
        waitsFor: null,
        waitsBecause: null,
        stats: none,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    ]);
  });

  it('can be sent from draft only, to each user once, in any number of calls (SX-16)', async () => {
    const emails = await site.users(3);
    const id = await site.draft();
    const all = await Promise.all(Array.from({ length: 20 }, () => site.call('sendCampaign', { id })));
    expect(all.map(({ status }) => status).toSorted()).toEqual([200, ...Array(19).fill(409)]);
    expect(all.find(({ status }) => status === 409)?.body.code).toBe('campaign-not-draft');
    expect((await site.sent(id)).stats).toEqual({ ...none, recipients: 3, sent: 3 });
    expect(received()).toEqual(emails);
  });

  it('can be changed as a draft only, and is not changed by a refusal (SX-17, XE-09)', async () => {
    const id = await site.draft();
    await site.done('updateCampaign', { id, subject: 'Other news', text: 'Hello' });
    expect(await site.shown(id)).toMatchObject({ subject: 'Other news', text: 'Hello', name: 'News' });
    server.atRecipient = () => 'stall';
    await site.users(1);
    await site.done('sendCampaign', { id });
    const sending = await site.shown(id);
    expect(sending.status).toBe('sending');
    const refused = async () => {
      const { status, body } = await site.call('updateCampaign', { id, subject: 'Too late' });
      expect([status, body.code]).toEqual([409, 'campaign-not-draft']);
      expect(await site.shown(id)).toMatchObject({ subject: 'Other news' });
    };
    await refused();
    server.willing();
    server.hangUp();
    await site.done('pauseCampaign', { id });
    await site.done('resumeCampaign', { id });
    clock.set(clock.now() + 61_000);
    await site.sent(id);
    await refused();
  });

  it('without recipients is sent at once', async () => {
    expect((await site.send()).stats).toEqual(none);
  });

  it('without a usable mailbox of the site remains a draft: 403 needsMailbox (Q-S86)', async () => {
    const { ownerKey: key } = await otherWorkspace(app);
    const { id: projectId } = await done(app, 'site/createProject', { name: 'Other' }, key);
    const words = { projectId, name: 'News', subject: 'News', html: '<p>Hello</p>' };
    const { id } = await done(app, 'site/createCampaign', words, key);
    const { status, body } = await app.call('site/sendCampaign', { projectId, id }, key);
    expect([status, body.code]).toEqual([403, 'needsMailbox']);
    expect((await done(app, 'site/listCampaigns', { projectId }, key))[0].status).toBe('draft');
    // A campaign of another workspace is not found.
    expect((await app.call('site/sendCampaign', { projectId, id })).status).toBe(404);
  });

  it('of another site is not found', async () => {
    const id = await site.draft();
    const other = await CampaignSite.of(app, clock);
    for (const operation of ['sendCampaign', 'updateCampaign', 'deleteCampaign', 'previewCampaignAudience']) {
      const { status, body } = await other.call(operation, { id });
      expect([operation, status, body.code]).toEqual([operation, 404, 'campaign-not-found']);
    }
  });
});

describe('the mail of a campaign', () => {
  it('has the values of its recipient, which are escaped in HTML and never filled twice', async () => {
    await done(app, 'site/updateProject', { id: site.projectId, name: 'A <b>' });
    const fields = [{ name: 'plan', type: 'text' }];
    await done(app, 'site/updateProjectAuth', { id: site.projectId, authCustomFields: fields });
    await site.user('ada@example.org', { name: '<i>{{userEmail}}</i>', customFields: { plan: 'a & b' } });
    await site.send({
      subject: '{{appName}}: {{userName}}',
      html: '<html><body><p>{{userName}}, {{userEmail}}, {{plan}}, {{nothing}}.</p></body></html>',
    });
    const { mail, raw } = server.last;
    expect(mail.subject).toBe('A <b>: <i>{{userEmail}}</i>');
    const { html } = mail;
    expect(html).toContain('<p>&lt;i&gt;{{userEmail}}&lt;/i&gt;, ada@example.org, a &amp; b, .</p>');
    expect(html).toMatch(
      /of A &lt;b&gt;\. <a href="http[^"]+" style="color:#666">Unsubscribe<\/a><\/div><\/body><\/html>\s*$/,
    );
    expect(mail.text).toMatch(/^<i>\{\{userEmail\}\}<\/i>, ada@example\.org, a & b, \.\n\n-- \n/);
    const link = /Unsubscribe: (\S+)/.exec(mail.text ?? '')?.[1];
    expect(raw).toContain(`List-Unsubscribe: <${link}>\r\n`);
    expect(raw).toContain('\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n');
  });

  it('has its own text if there is one', async () => {
    await site.user('ada@example.org');
    await site.send({ text: 'Dear {{userName}} <3' });
    expect(server.last.mail.text).toMatch(/^Dear ada <3\n\n-- \n/);
  });

  it.each([
    ['subject', 'News\r\nBcc: eve@example.org', 'one line'],
    ['subject', ' ', 'one line'],
    ['html', ' ', 'not be empty'],
    ['html', '<p>Hello</p><!-- ', 'a comment'],
    ['html', '<p>Hello</p><style>', 'the element <style>'],
    ['html', '<p>Hello</p><a title="', 'a tag'],
  ])('always has its footer, and must have content: %s %j', async (field, value, words) => {
    const sent = { name: 'News', subject: 'News', html: '<p>Hello</p>', [field]: value };
    const { status, body } = await site.call('createCampaign', sent);
    expect([status, body.errors[0].path]).toEqual([400, field]);
    expect(body.errors[0].message).toContain(words);
  });
});

describe('testCampaign', () => {
  it('sends one mail to a member, marked as a test, and to nobody else', async () => {
    const { email } = await person(app, 'editor');
    const id = await site.draft({ html: '<p>Hello {{userName}}</p>' });
    await site.done('testCampaign', { id, to: email });
    expect([server.last.to, server.last.mail.subject]).toEqual([[email], '[Test] News']);
    const { status, body } = await site.call('testCampaign', { id, to: 'eve@example.org' });
    expect([status, body.code]).toEqual([400, 'campaign-test-recipient']);
    expect((await site.shown(id)).stats).toEqual(none);
    expect(server.received).toHaveLength(1);
  });
});

describe('a campaign in progress', () => {
  it('can be paused and resumed', async () => {
    await site.users(2);
    const id = await site.draft();
    const refused = await site.call('pauseCampaign', { id });
    expect([refused.status, refused.body.code]).toEqual([409, 'campaign-not-sending']);
    refuseSignIns();
    await site.done('sendCampaign', { id });
    await site.until(id, ({ waitsFor }) => waitsFor === 'mailbox');
    await site.done('pauseCampaign', { id });
    const other = await anotherWaits();
    server.willing();
    clock.set(clock.now() + 20 * 60_000);
    await other.goesOn();
    expect(await site.shown(id)).toMatchObject({ isPaused: true, waitsFor: null, stats: { waiting: 2 } });
    await site.done('resumeCampaign', { id });
    expect((await site.sent(id)).stats).toMatchObject({ sent: 2 });
  });

  it('waits while its mailbox refuses the sign-in or is deleted, with a notice, and continues with another', async () => {
    await site.users(2);
    const own = await createMailbox(app, mailboxAt(server, { isDefault: true }));
    const id = await site.draft({ name: 'Sale' });
    refuseSignIns();
    await site.done('sendCampaign', { id });
    const waiting = await site.until(id, ({ waitsFor }) => waitsFor === 'mailbox');
    expect(waiting.waitsBecause).toContain('username and password');
    expect(waiting.stats).toMatchObject({ waiting: 2, failed: 0 });
    const notices = async () =>
      (await done(app, 'approvals/listNotices', {})).notices.filter(
        (one: { target: { id: string } }) => one.target.id === id,
      );
    const [notice, ...more] = await eventually(notices, (all) => all.length > 0);
    expect([notice.kind, notice.summary, more]).toEqual([
      'failure',
      expect.stringContaining("The campaign 'Sale' is waiting: "),
      [],
    ]);
    server.willing();
    const next = await createMailbox(app, mailboxAt(server, { isDefault: true, fromAddress: 'next@example.com' }));
    await done(app, 'automations/deleteMailAccount', { id: own.id });
    clock.set(clock.now() + 61_000);
    await site.until(id, ({ waitsBecause }) => waitsBecause?.includes('was deleted') === true);
    await site.done('resumeCampaign', { id });
    expect((await site.sent(id)).stats).toMatchObject({ sent: 2 });
    expect(server.last.from).toBe('next@example.com');
    await done(app, 'automations/updateMailAccount', { id: next.id, isDefault: true, hourlyLimit: 10_000 });
  });

  it('sends nothing more after it is deleted', async () => {
    await site.users(3);
    const id = await site.draft();
    refuseSignIns();
    await site.done('sendCampaign', { id });
    await site.until(id, ({ waitsFor }) => waitsFor === 'mailbox');
    const other = await anotherWaits();
    await site.done('deleteCampaign', { id });
    server.willing();
    clock.set(clock.now() + 61_000);
    await other.goesOn();
    expect(await site.done('listCampaigns')).toEqual([]);
    expect(received()).toEqual(['other@example.org']);
    expect((await site.call('listCampaignRecipients', { id })).status).toBe(404);
  });

  it('begins by itself at its time, unless that is cancelled', async () => {
    await site.users(1);
    const [id, other] = [await site.draft(), await site.draft()];
    const past = await site.call('scheduleCampaign', { id, at: '2020-01-01T00:00:00Z' });
    expect([past.status, past.body.code]).toEqual([400, 'campaign-time-past']);
    const at = new Date(clock.now() + 3_600_000).toISOString();
    expect(await site.done('scheduleCampaign', { id, at })).toMatchObject({ status: 'draft', scheduledAt: at });
    await site.done('scheduleCampaign', { id: other, at });
    await site.done('scheduleCampaign', { id: other, at: null });
    clock.set(clock.now() + 3_600_000);
    expect((await site.sent(id)).stats).toMatchObject({ sent: 1 });
    expect(await site.shown(other)).toMatchObject({ status: 'draft', scheduledAt: null });
  });
});

describe('listCampaignRecipients', () => {
  it('shows the result for each, a page at a time', async () => {
    await site.users(5);
    server.atRecipient = (address) => (address.startsWith('u1@') ? '550 5.7.1 not by you' : undefined);
    const { id, stats } = await site.send();
    expect(stats).toEqual({ ...none, recipients: 5, sent: 4, failed: 1 });
    const first = await site.done('listCampaignRecipients', { id, limit: 3 });
    const rest = await site.done('listCampaignRecipients', { id, before: first[2].id });
    const all = [...first, ...rest];
    expect(all.map(({ email }) => email).toSorted()).toEqual([0, 1, 2, 3, 4].map((at) => `u${at}@example.org`));
    const [failed, ...others] = await site.done('listCampaignRecipients', { id, status: 'failed' });
    expect(failed).toEqual({
      id: expect.any(String),
      userId: expect.any(String),
      email: 'u1@example.org',
      name: 'u1',
      status: 'failed',
      reason: expect.stringContaining('550 5.7.1'),
      at: expect.any(String),
    });
    expect(others).toEqual([]);
    expect(await site.done('listCampaignRecipients', { id, status: 'waiting' })).toEqual([]);
    const wrong = await site.call('listCampaignRecipients', { id, before: 'x' });
    expect([wrong.status, wrong.body.errors[0].path]).toEqual([400, 'before']);
  });

  it('does not name deleted users, but counts them', async () => {
    const { id: userId } = await site.user('ada@example.org');
    const { id } = await site.send();
    await site.done('deleteAppUser', { userId });
    const told = await eventually(
      () => site.done('listCampaignRecipients', { id }),
      ([one]) => one.email === null,
    );
    expect(told).toMatchObject([{ userId, email: null, name: null, status: 'sent' }]);
    expect((await site.shown(id)).stats).toEqual({ ...none, recipients: 1, sent: 1 });
  });
});
