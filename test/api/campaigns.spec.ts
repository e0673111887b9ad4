import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { quickPasswords } from '../support/given/quick-passwords.js';
import { MailServerForTests } from '../support/mail/mail-server.js';
import { allowingLoopback, createMailbox, mailboxAt, mailOfTests, password } from '../support/mail/mailboxes.js';
import { done } from '../support/people.js';

let app: TestApp;
let server: MailServerForTests;
let projectId: string;
let mailbox: { id: string; name: string };
let made = 0;
beforeAll(async () => {
  server = await MailServerForTests.start({ password });
  app = await startApp({ environment: allowingLoopback, replacements: [mailOfTests(), quickPasswords] });
  mailbox = await createMailbox(app, mailboxAt(server, { hourlyLimit: 10_000 }));
  await done(app, 'workspace/updateSettings', {}).catch(() => undefined);
});
afterAll(async () => {
  await app.close();
  await server.close();
});
beforeEach(async () => {
  server.willing();
  server.received.length = 0;
  projectId = (await done(app, 'site/createProject', { name: `Shop ${made++}` })).id;
});

const user = (email: string, more: object = {}) =>
  done(app, 'site/createAppUser', { projectId, email, password: 'long enough', name: email.split('@')[0], ...more });
const campaign = (more: object = {}) =>
  done(app, 'site/createCampaign', {
    projectId,
    name: 'News',
    subject: 'News for {{userName}}',
    html: '<p>Hello {{userName}}</p>',
    ...more,
  });
const one = async (id: string) =>
  (await done(app, 'site/listCampaigns', { projectId })).find((each: { id: string }) => each.id === id);
const send = (id: string) => done(app, 'site/sendCampaign', { projectId, id });
const sent = (id: string) =>
  eventually(
    () => one(id),
    ({ status }) => status === 'sent',
  );

describe('a campaign', () => {
  it('SR-11 has name, subject, html, text, audienceRules, status and send stats', async () => {
    const { id } = await campaign();
    expect(await one(id)).toEqual({
      id,
      name: 'News',
      subject: 'News for {{userName}}',
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
      stats: { recipients: 0, sent: 0, failed: 0, suppressed: 0, waiting: 0, unsubscribed: 0 },
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
  });

  it('SX-16 is sent from draft only, to each user once', async () => {
    await user('ada@example.org');
    await user('bob@example.org');
    const { id } = await campaign();
    const began = await send(id);
    expect(began.status).toBe('sending');
    const again = await app.call('site/sendCampaign', { projectId, id });
    expect([again.status, again.body.code]).toEqual([409, 'campaign-not-draft']);
    const after = await sent(id);
    expect(after.stats).toEqual({ recipients: 2, sent: 2, failed: 0, suppressed: 0, waiting: 0, unsubscribed: 0 });
    expect(server.received.map(({ to }) => to[0]).toSorted()).toEqual(['ada@example.org', 'bob@example.org']);
    const mail = server.received.find(({ to }) => to.includes('ada@example.org'));
    expect(mail?.mail.subject).toBe('News for ada');
    expect(mail?.mail.text).toContain('Hello ada');
    expect(mail?.raw).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m);
    expect(mail?.raw).toMatch(/^List-Unsubscribe: <http:\/\/[^>\r\n]+>\r$/m);
  });
});
