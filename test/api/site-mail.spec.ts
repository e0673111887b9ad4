import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SystemClock } from '../../src/adapters/system/system-clock.adapter.js';
import { SiteMail, type WantedSiteMail } from '../../src/areas/app-users/auth-mail/site-mail.api.js';
import { SiteMailWork } from '../../src/areas/app-users/auth-mail/site-mail-work.js';
import { Clock } from '../../src/ports/clock.port.js';
import { startApp, type TestApp } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { MailServerForTests, type Received, username } from '../support/mail-server.js';
import { allowingLoopback, createMailbox, mailboxAt, mailOfTests, password } from '../support/mailboxes.js';
import { done, keyOf, otherWorkspace, person } from '../support/people.js';

const hour = 3_600_000;

/** Time goes on as it does, and jumps where a test says so. */
class JumpingClock extends SystemClock {
  ahead = 0;

  override now(): number {
    return super.now() + this.ahead;
  }
}

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
    replacements: [mailOfTests(), { provide: Clock, useValue: clock }],
  });
  ({ id: workspaceId } = await done(app, 'workspace/getWorkspace'));
};
const newSite = async () => {
  ({ id: projectId } = await done(app, 'site/createProject', { name: `Shop ${made}` }));
};
const choose = (auth: object) => done(app, 'site/updateProjectAuth', { id: projectId, ...auth });
const link = () => `https://shop.example.com/verify-email?token=tok-${made}-${Math.random()}`;
const send = (more: Partial<WantedSiteMail> = {}) =>
  app.app.get(SiteMail, { strict: false }).send({
    workspaceId,
    projectId,
    kind: 'verify',
    to: `ada-${made}@example.org`,
    userName: 'Ada',
    link: 'https://shop.example.com/verify-email?token=t&x=1',
    expiresIn: 24 * hour,
    ...more,
  });
const arrived = (at: MailServerForTests, to = `ada-${made}@example.org`): Promise<Received> =>
  eventually(
    async () => at.received.find((mail) => mail.to.includes(to)),
    (mail) => mail !== undefined,
    30_000,
  ) as Promise<Received>;
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
  beforeAll(() =>
    starting({
      PLATFORM_MAIL_URL: `smtp://${encodeURIComponent(username)}:${encodeURIComponent('p%rator:s')}@127.0.0.1:${operatorsServer.port}`,
      PLATFORM_MAIL_FROM: 'Operator <no-reply@platform.example>',
      SMTP_PLAINTEXT_ALLOW: '127.0.0.1',
    }),
  );
  afterAll(() => app.close());
  beforeEach(newSite);

  it('leaves from the operator’s address, in plain English, and is listed no longer', async () => {
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

  it('goes through the mailbox that the site chose, by the template that it chose', async () => {
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
});

describe('mail of sign-in, where nobody can send it', () => {
  beforeAll(() => starting({}));
  afterAll(() => app.close());
  beforeEach(newSite);

  it('is kept for a day and shown with its link, and a notice says so once', async () => {
    await send();
    await send({ kind: 'reset', to: 'bob@example.org', userName: null, expiresIn: hour });
    const mails = await listed(2);
    expect(mails[1]).toEqual({
      id: expect.stringMatching(/^sm_/),
      kind: 'verify',
      to: `ada-${made}@example.org`,
      userName: 'Ada',
      link: 'https://shop.example.com/verify-email?token=t&x=1',
      status: 'kept',
      error: expect.stringContaining('the operator set no sender'),
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
    });
    expect(Date.parse(mails[1].expiresAt) - Date.parse(mails[1].createdAt)).toBe(24 * hour);
    expect(await notices()).toMatchObject([
      { summary: expect.stringContaining('listOutgoingMail'), target: { kind: 'project', name: `Shop ${made}` } },
    ]);
  });

  it('is destroyed after a day', async () => {
    await send();
    await listed();
    clock.ahead += 24 * hour;
    expect(await outgoing()).toEqual([]);
    await app.app.get(SiteMailWork, { strict: false }).sweep();
    const { mails } = await done(app, 'site/listOutgoingMail', { projectId });
    expect(mails).toEqual([]);
  });

  it('is no welcome: that is not kept, and the answer says that it needs a mailbox', async () => {
    expect(await send({ kind: 'welcome' })).toBe('needsMailbox');
    await send();
    expect(await listed()).toHaveLength(1);
  });

  it('is shown to people who may see users, of this workspace alone; each reading is recorded', async () => {
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

  it('is not answered again with its links to a repeated call', async () => {
    await send();
    await listed();
    const again = () => app.call('site/listOutgoingMail', { projectId }, undefined, { 'idempotency-key': `k${made}` });
    expect((await again()).body.mails).toHaveLength(1);
    expect((await again()).body.mails).toBeNull();
  });
});
