// Engines: one process.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { RequestedSiteMail } from '../../../src/areas/app-users/auth-mail/site-mail.api.js';
import { SiteMailContents } from '../../../src/areas/app-users/auth-mail/site-mail-content.js';
import { siteMailRequests } from '../../../src/areas/app-users/auth-mail/site-mail-requests.api.js';
import { Jobs } from '../../../src/engine/jobs/jobs.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { MailServerForTests } from '../../support/mail/mail-server.js';
import { allowingLoopback, createMailbox, mailboxAt, mailOfTests, password } from '../../support/mail/mailboxes.js';
import { arrived as arrivedAt, hourMs, JumpingClock, senderAt, sendSiteMail } from '../../support/mail/site-mail.js';
import { done, keyOf, otherWorkspace, person } from '../../support/people.js';

const clock = new JumpingClock();
let app: TestApp;
let operatorsServer: MailServerForTests;
let server: MailServerForTests;
let workspaceId: string;
let projectId: string;
let made = 0;
beforeAll(async () => {
  operatorsServer = await MailServerForTests.start({ password: 'p%rator:s', security: 'none' });
  server = await MailServerForTests.start({ password });
});
afterAll(async () => {
  await operatorsServer.close();
  await server.close();
});
beforeEach(() => {
  made += 1;
  operatorsServer.willing();
  server.willing();
});

const starting = async (environment: Readonly<Record<string, string>>) => {
  app = await startApp({
    environment: { ...allowingLoopback, ...environment },
    replacements: [mailOfTests(), clock.provider],
  });
  ({ id: workspaceId } = await done(app, 'workspace/getWorkspace'));
};
const newSite = async () => {
  ({ id: projectId } = await done(app, 'site/createProject', { name: `Shop ${made}` }));
};
const choose = (auth: object) => done(app, 'site/updateProjectAuth', { id: projectId, ...auth });
const link = () => `https://shop.example.com/verify-email?token=tok-${made}-${Math.random()}`;
const send = (more: Partial<RequestedSiteMail> = {}) =>
  sendSiteMail(app, {
    workspaceId,
    projectId,
    kind: 'verify',
    to: `ada-${made}@example.org`,
    userName: 'Ada',
    link: 'https://shop.example.com/verify-email?token=t&x=1',
    expiresIn: 24 * hourMs,
    ...more,
  });
const arrived = (at: MailServerForTests, to = `ada-${made}@example.org`) => arrivedAt(at, to);
const outgoing = async (key?: string) => (await done(app, 'site/listOutgoingMail', { projectId }, key)).mails;
const listed = (count = 1) =>
  eventually(
    outgoing,
    (mails) => mails.length === count && mails.every((mail: { error: unknown }) => mail.error),
    30_000,
  );
const notices = async () =>
  (await done(app, 'approvals/listNotices', { limit: 200 })).notices.filter(
    ({ target }: { target: { id: string } }) => target.id === projectId,
  );

describe('mail of sign-in, with the operator’s sender', () => {
  beforeAll(() => starting(senderAt(operatorsServer, 'p%rator:s')));
  afterAll(() => app.close());
  beforeEach(newSite);

  it("is sent from the operator's address (SM-07), in plain English, and is then no longer listed", async () => {
    expect(await send()).toBe('accepted');
    const { from, mail } = await arrived(operatorsServer);
    expect([from, mail.from?.text]).toEqual(['no-reply@platform.example', '"Operator" <no-reply@platform.example>']);
    expect(mail.subject).toBe(`Confirm your email address for Shop ${made}`);
    expect(mail.text).toContain('https://shop.example.com/verify-email?token=t&x=1');
    expect(mail.text).toContain('within 24 hours');
    expect(mail.html).toContain('href="https://shop.example.com/verify-email?token=t&amp;x=1"');
    expect(mail.messageId).toMatch(/^<sm_\w+@platform\.example>$/);
    await eventually(outgoing, (mails) => mails.length === 0);
  });

  it('uses the mailbox and the template that the site chose', async () => {
    const { name } = await createMailbox(app, mailboxAt(server, { projectId }));
    const template = await done(app, 'site/createEmailTemplate', {
      projectId,
      name: 'Verify',
      slug: 'verify',
      subject: '{{appName}} for {{userName}}',
      content: '<p>{{userName}} {{userEmail}} <a href="{{link}}">go</a> {{expiresIn}} {{other}}</p>',
    });
    await choose({ authMailAccount: name, authVerifyTemplateId: template.id });
    await send({ userName: '<b>Ada</b>' });
    const { from, mail } = await arrived(server);
    expect(from).toBe('robot@example.com');
    expect(mail.subject).toBe(`Shop ${made} for <b>Ada</b>`);
    expect(String(mail.html).trim()).toBe(
      `<p>&lt;b&gt;Ada&lt;/b&gt; ada-${made}@example.org <a href="https://shop.example.com/verify-email?token=t&amp;x=1">go</a> 24 hours </p>`,
    );
  });

  it('uses the operator’s sender and the built-in words once the mailbox or the template is gone (Q-S14)', async () => {
    const { id, name } = await createMailbox(app, mailboxAt(server));
    const template = await done(app, 'site/createEmailTemplate', {
      projectId,
      name: 'Reset',
      slug: 'reset',
      content: '<p>Own words {{link}}</p>',
    });
    await choose({ authMailAccount: name, authResetTemplateId: template.id });
    await send({ kind: 'reset' });
    expect((await arrived(server)).mail.subject).toBe(`Choose a new password for Shop ${made}`);
    await done(app, 'automations/updateMailAccount', { id, isActive: false });
    await send({ kind: 'reset', to: 'later@example.org' });
    const { mail } = await arrived(operatorsServer, 'later@example.org');
    expect(mail.html).not.toContain('Own words');
    await done(app, 'automations/updateMailAccount', { id, isActive: true });
    await done(app, 'site/deleteEmailTemplate', { id: template.id });
    await send({ kind: 'reset', to: 'last@example.org' });
    expect((await arrived(server, 'last@example.org')).mail.text).toContain('Someone requested a new password');
  });

  it.each([
    ['login', () => (server.atLogin = '535 5.7.8 no such user or password'), 1],
    ['a busy server', () => (server.atRecipient = () => '451 4.7.1 try again later'), 0],
    ['a server that hangs up', () => (server.atMail = 'drop'), 0],
  ])('is retried after a failure: %s', async (_, fail, told) => {
    const { name } = await createMailbox(app, mailboxAt(server));
    await choose({ authMailAccount: name });
    fail();
    await send();
    const [waiting] = await listed();
    expect(waiting).toMatchObject({ status: 'waiting', kind: 'verify', error: expect.stringMatching(/\.$/) });
    expect(await notices()).toHaveLength(told);
    server.willing();
    clock.ahead += 60_000;
    await app.app.get(Jobs, { strict: false }).recover(siteMailRequests);
    const { mail } = await arrived(server);
    expect(mail.messageId).toBe(`<${waiting.id}@example.com>`);
    await eventually(outgoing, (mails) => mails.length === 0);
  });

  it('is retained without a notice if its recipient is refused, because visitors choose these', async () => {
    operatorsServer.atRecipient = () => '550 5.1.1 no such user';
    await send();
    expect(await listed()).toMatchObject([{ status: 'kept' }]);
    await send({ to: 'not an address' });
    expect(await listed(2)).toMatchObject([{ status: 'kept', error: 'Mail cannot be sent to such an address.' }, {}]);
    expect(await notices()).toEqual([]);
  });

  it('is not sent after its link has expired', async () => {
    operatorsServer.atMail = '451 4.3.0 later';
    await send({ kind: 'reset', expiresIn: 30_000 });
    await listed();
    operatorsServer.willing();
    clock.ahead += 120_000;
    await app.app.get(Jobs, { strict: false }).recover(siteMailRequests);
    const [mail] = await eventually(outgoing, ([one]) => one.status === 'kept');
    expect(mail.error).toContain('expired');
    expect(operatorsServer.received.filter(({ to }) => to.includes(`ada-${made}@example.org`))).toEqual([]);
  });

  it("waits for the mailbox's next hour if this one is used up", async () => {
    const { name } = await createMailbox(app, mailboxAt(server, { hourlyLimit: 1 }));
    await choose({ authMailAccount: name });
    await send({ to: 'first@example.org' });
    await arrived(server, 'first@example.org');
    await send();
    expect(await listed()).toMatchObject([{ status: 'waiting', error: expect.stringContaining('this hour') }]);
    clock.ahead += hourMs;
    await app.app.get(Jobs, { strict: false }).recover(siteMailRequests);
    await arrived(server);
  });

  it('is not affected by names of sites and users, or by line breaks in them', async () => {
    await done(app, 'site/updateProject', { id: projectId, appDisplayName: 'Shop <script>alert(1)</script>' });
    await send({ userName: 'Ada\r\nBcc: eve@example.org\r\n\r\n<img src=x>' });
    const { to, mail } = await arrived(operatorsServer);
    expect(to).toEqual([`ada-${made}@example.org`]);
    expect([mail.cc, mail.bcc]).toEqual([undefined, undefined]);
    expect(mail.html).not.toMatch(/<script|<img/);
    expect(mail.text).toContain('Hello Ada Bcc: eve@example.org <img src=x>,');
  });

  it.each(['a@b.example,eve@example.org', 'a@b.example\r\nBcc: eve@example.org', '<a@b.example>', ''])(
    'is sent to a single address: %j is invalid',
    async (to) => {
      await send({ to });
      expect(await listed()).toMatchObject([{ status: 'kept' }]);
      expect(operatorsServer.received.some((mail) => mail.to.includes('eve@example.org'))).toBe(false);
    },
  );

  it('welcomes a user made by createAppUser through a mailbox of the site, never through the operator’s sender', async () => {
    const create = (more: object = {}, headers = {}) =>
      app.call(
        'site/createAppUser',
        { projectId, email: `w-${made}@example.org`, password, ...more },
        undefined,
        headers,
      );
    const other = await done(app, 'automations/listMailAccounts');
    for (const { id } of other) await done(app, 'automations/updateMailAccount', { id, isActive: false });
    expect((await create({ email: 'none@example.org', sendWelcomeEmail: true })).body.welcomeEmail).toBe(
      'needsMailbox',
    );
    await createMailbox(app, mailboxAt(server, { projectId, isDefault: true }));
    const wanted = { sendWelcomeEmail: true, name: 'Wanda' };
    const key = { 'idempotency-key': `welcome-${made}` };
    expect((await create(wanted, key)).body.welcomeEmail).toBe('sending');
    expect((await create(wanted, key)).body.welcomeEmail).toBe('sending');
    const { mail } = await arrived(server, `w-${made}@example.org`);
    expect(mail.subject).toBe(`Welcome to Shop ${made}`);
    expect(mail.text).toContain('Hello Wanda,');
    expect(mail.text).not.toContain(password);
    await eventually(outgoing, (mails) => mails.length === 0);
    expect(server.received.filter(({ to }) => to.includes(`w-${made}@example.org`))).toHaveLength(1);
    expect(operatorsServer.received.some(({ to }) => to.includes('none@example.org'))).toBe(false);
    expect((await create({ email: 'no-mail@example.org' })).body).not.toHaveProperty('welcomeEmail');
  });

  it('leaves nothing behind once it is sent, or its user or site is deleted', async () => {
    const contents = app.app.get(SiteMailContents, { strict: false });
    const gone = (id: string) =>
      eventually(
        () => contents.open(workspaceId, id),
        (content) => content === undefined,
      );
    await send();
    const { mail } = await arrived(operatorsServer);
    await gone(/<(.+)@/.exec(mail.messageId ?? '')?.[1] ?? '');
    operatorsServer.atRecipient = () => '550 5.1.1 no such user';
    const { id: userId } = await done(app, 'site/createAppUser', { projectId, email: 'gone@example.org', password });
    await send({ userId });
    await send({ userId: 'usr_2', kind: 'reset' });
    const [second, first] = await listed(2);
    await done(app, 'site/deleteAppUser', { projectId, userId });
    await gone(first.id);
    expect(await listed()).toMatchObject([{ kind: 'reset' }]);
    await done(app, 'site/deleteProject', { id: projectId });
    await gone(second.id);
  });
});

describe('mail of sign-in that cannot be sent', () => {
  beforeAll(() => starting({}));
  afterAll(() => app.close());
  beforeEach(newSite);

  it('is retained for a day and shown with its link, and one notice reports it', async () => {
    await send();
    await send({ kind: 'reset', to: 'bob@example.org', userName: null, expiresIn: hourMs });
    const mails = await listed(2);
    expect(mails[1]).toEqual({
      id: expect.stringMatching(/^sm_/),
      kind: 'verify',
      to: `ada-${made}@example.org`,
      userName: 'Ada',
      link: 'https://shop.example.com/verify-email?token=t&x=1',
      status: 'kept',
      error: expect.stringContaining('the operator has not configured a sender'),
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
    });
    expect(Date.parse(mails[1].expiresAt) - Date.parse(mails[1].createdAt)).toBe(24 * hourMs);
    expect(await notices()).toMatchObject([
      { summary: expect.stringContaining('listOutgoingMail'), target: { kind: 'project', name: `Shop ${made}` } },
    ]);
  });

  it('is destroyed after a day', async () => {
    await send();
    await listed();
    clock.ahead += 24 * hourMs;
    expect(await outgoing()).toEqual([]);
    await app.app.get(Jobs, { strict: false }).recover(siteMailRequests);
    const { mails } = await done(app, 'site/listOutgoingMail', { projectId });
    expect(mails).toEqual([]);
  });

  it('is not retained for a welcome mail, whose answer reports that it needs a mailbox (Q-S26)', async () => {
    expect(await send({ kind: 'welcome' })).toBe('needsMailbox');
    await send();
    expect(await listed()).toHaveLength(1);
  });

  it('is shown to people of this workspace who may see users, and each reading is recorded', async () => {
    await send({ link: link() });
    const [{ id }] = await listed();
    const viewer = await person(app, 'viewer');
    const editor = await person(app, 'editor');
    const connection = await keyOf(app, { kind: 'connection', memberId: editor.id });
    const { ownerKey } = await otherWorkspace(app);
    for (const [key, status] of [
      [viewer.key, 403],
      [connection, 403],
      [ownerKey, 404],
    ] as const) {
      expect((await app.call('site/listOutgoingMail', { projectId }, key)).status).toBe(status);
    }
    expect(await outgoing(editor.key)).toHaveLength(1);
    const { events } = await done(app, 'audit/listEvents', { kind: 'outgoingMail', id: projectId });
    const readings = events.filter(({ type }: { type: string }) => type === 'OutgoingMailRead');
    expect(readings[0]).toMatchObject({ actor: { id: editor.id }, data: { mailIds: [id] } });
  });

  it('is shown without its links to a repeated call', async () => {
    await send();
    await listed();
    const again = () => app.call('site/listOutgoingMail', { projectId }, undefined, { 'idempotency-key': `k${made}` });
    expect((await again()).body.mails).toHaveLength(1);
    expect((await again()).body.mails).toBeNull();
  });
});
