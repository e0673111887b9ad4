// Engines: one process, and several.
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { MailServerForTests } from '../../support/mail/mail-server.js';
import {
  answering,
  createMailbox,
  Mailer,
  mailboxAt,
  mailer,
  pageMailer,
  password,
  plain,
} from '../../support/mail/mailboxes.js';
import { done } from '../../support/people.js';
import { onSeveral } from '../../support/shared-app.js';
import { sharedOutside } from '../../support/shared-outside.js';
import { type SiteVisitors, siteVisitors } from '../../support/sites/site-visitors.js';

let app: TestApp;
let server: MailServerForTests;
let send: Mailer['send'];
beforeAll(async () => {
  server = await MailServerForTests.start({ password });
  app = await sharedOutside({ several: onSeveral });
  const ofEmail = await Mailer.of(app);
  send = (mail, via) => ofEmail.send(mail, via);
});
afterAll(async () => {
  await app.close();
  await server.close();
});
afterEach(() => server.willing());

let made = 0;
const mailbox = async (more: object = {}) =>
  createMailbox(app, mailboxAt(server, { name: `box ${made++}`, isDefault: false, ...more }));

describe('ctx.email without a default mailbox', () => {
  it('refuses ctx.email.send with 403 needsMailbox, and nothing is sent', async () => {
    const before = server.connections;
    const { refused } = await send(plain());
    expect(refused).toEqual({
      status: 403,
      code: 'needsMailbox',
      message: expect.stringContaining('Nothing was sent'),
    });
    expect(server.connections).toBe(before);
  });

  it('still refuses if there are mailboxes, but none is the default', async () => {
    await mailbox();
    expect((await send(plain())).refused).toMatchObject({ status: 403, code: 'needsMailbox' });
  });

  it('refuses while the default is switched off', async () => {
    const { id } = await mailbox({ isDefault: true });
    await done(app, 'automations/updateMailAccount', { id, isActive: false });
    expect((await send(plain())).refused).toMatchObject({ status: 403, code: 'needsMailbox' });
    await done(app, 'automations/deleteMailAccount', { id });
  });
});

describe('ctx.email', () => {
  it('needs the power email for each of its members', async () => {
    const code = `const told = [];
      for (const call of [() => ctx.email.send(params.mail), () => ctx.email.sendVia('x', params.mail), () => ctx.email.accounts()])
        told.push(await call().then(() => 'done', (error) => [error.status, error.code]));
      return told;`;
    const { id } = await done(app, 'automations/createFunction', { name: `no power ${made++}`, code });
    const { result } = await done(app, 'automations/invokeFunction', { id, event: { mail: plain() } });
    expect(result).toEqual([
      [403, 'power-missing'],
      [403, 'power-missing'],
      [403, 'power-missing'],
    ]);
  });

  it('ignores a power that is in grants', async () => {
    const { id } = await done(app, 'automations/createFunction', {
      name: `granted ${made++}`,
      code: answering('ctx.email.send(params.mail)'),
      grants: { capabilities: ['email'] },
    });
    const { result } = await done(app, 'automations/invokeFunction', { id, event: { mail: plain() } });
    expect(result.refused.code).toBe('power-missing');
  });

  it('lists only the mailboxes that it could use', async () => {
    const { id, name } = await mailbox({ fromName: 'Robot', isDefault: true });
    const off = await mailbox();
    await done(app, 'automations/updateMailAccount', { id: off.id, isActive: false });
    const fn = await mailer(app, 'return ctx.email.accounts()');
    const { result } = await done(app, 'automations/invokeFunction', { id: fn });
    expect(result).toContainEqual({ name, fromAddress: 'robot@example.com', fromName: 'Robot', isDefault: true });
    expect(result.filter((one: { isDefault: boolean }) => one.isDefault)).toHaveLength(1);
    expect(result.map((one: { name: string }) => one.name)).not.toContain(off.name);
    await done(app, 'automations/deleteMailAccount', { id });
  });
});

describe('ctx.email.send', () => {
  it('sends through the default mailbox, encrypted and authenticated, and returns the id of the mail', async () => {
    const { id } = await mailbox({ isDefault: true, fromName: 'The Robot', replyTo: 'desk@example.com' });
    const { sent } = await send(
      plain({ to: ['Ada <ada@example.org>', 'bob@example.org'], cc: 'carl@example.org', bcc: ['dora@example.org'] }),
    );
    const { last } = server;
    expect(sent).toEqual({ messageId: last.mail.messageId, fromNameOverridden: false });
    expect(last).toMatchObject({ from: 'robot@example.com', secure: true });
    expect(last.to).toEqual(['ada@example.org', 'bob@example.org', 'carl@example.org', 'dora@example.org']);
    expect(last.mail.from?.value).toEqual([{ address: 'robot@example.com', name: 'The Robot' }]);
    expect(last.mail).toMatchObject({ subject: 'Hello', text: 'How are you?\n' });
    expect(last.mail.replyTo?.text).toBe('desk@example.com');
    expect(last.raw).not.toContain('dora@');
    await done(app, 'automations/deleteMailAccount', { id });
  });

  it('sends text, html and attachments in any script, with the content of an attachment', async () => {
    const { name } = await mailbox();
    const attachments = [
      { filename: 'grüße.txt', content: 'Ω ist das Ende' },
      {
        filename: 'pixel.png',
        content: Buffer.from([0, 255, 13, 10]).toString('base64'),
        encoding: 'base64',
        contentType: 'image/png',
      },
      { filename: '/etc/passwd', content: '/etc/passwd' },
      { filename: 'http://127.0.0.1/', content: 'http://127.0.0.1/' },
    ];
    const mail = plain({ subject: 'Größe 📮 '.repeat(20), text: '.\r\n..\r\n', html: '<p>Hé</p>', attachments });
    expect((await send(mail, name)).refused).toBeUndefined();
    const { mail: got } = server.last;
    expect(got.subject).toBe('Größe 📮 '.repeat(20));
    expect(got.text).toBe('.\n..\n');
    expect(got.html).toContain('<p>Hé</p>');
    expect(got.attachments.map(({ filename, content }) => [filename, content.toString()])).toEqual([
      ['grüße.txt', 'Ω ist das Ende'],
      ['pixel.png', Buffer.from([0, 255, 13, 10]).toString()],
      ['/etc/passwd', '/etc/passwd'],
      ['http://127.0.0.1/', 'http://127.0.0.1/'],
    ]);
    expect(got.attachments[1]?.content).toEqual(Buffer.from([0, 255, 13, 10]));
  });

  it('uses a fromName for that one mail, and never another address', async () => {
    const { name } = await mailbox({ fromName: 'Robot' });
    const froms: unknown[] = [];
    for (const fromName of ['Ada "Countess" L.', 'Évariste', undefined]) {
      const { sent } = await send(plain(fromName === undefined ? {} : { fromName }), name);
      froms.push([server.last.mail.from?.value, sent.fromNameOverridden]);
    }
    const address = 'robot@example.com';
    expect(froms).toEqual([
      [[{ address, name: 'Ada "Countess" L.' }], true],
      [[{ address, name: 'Évariste' }], true],
      [[{ address, name: 'Robot' }], false],
    ]);
    expect(server.received.slice(-3).map(({ from }) => from)).toEqual([address, address, address]);
  });

  it("prefers a replyTo of the mail to the mailbox's", async () => {
    const { name } = await mailbox({ replyTo: 'desk@example.com' });
    await send(plain({ replyTo: 'Ada <me@example.com>' }), name);
    expect(server.last.mail.replyTo?.value).toEqual([{ address: 'me@example.com', name: 'Ada' }]);
  });

  it('sends each recipient one copy, however often they are named', async () => {
    const { name } = await mailbox();
    await send(plain({ to: ['ada@example.org', 'ada@EXAMPLE.org'], cc: 'ada@example.org' }), name);
    expect(server.last.to).toEqual(['ada@example.org']);
  });

  it('reuses an open connection, and opens another after a change of the settings', async () => {
    const { id, name } = await mailbox();
    const before = server.connections;
    for (let n = 0; n < 3; n += 1) await send(plain(), name);
    expect(server.connections).toBe(before + 1);
    await done(app, 'automations/updateMailAccount', { id, password });
    await send(plain(), name);
    expect(server.connections).toBe(before + 2);
  });

  it('sends once more over a new connection if the server had closed the old one', async () => {
    const { name } = await mailbox();
    await send(plain(), name);
    const before = server.received.length;
    server.hangUp();
    expect((await send(plain(), name)).sent).toBeDefined();
    expect(server.received.length).toBe(before + 1);
  });
});

it('ctx.email of a workspace function uses the mailboxes of the site whose page started it (Q-A57)', async () => {
  const [here, there] = [await siteVisitors(app), await siteVisitors(app)];
  const { id } = await mailbox({ isDefault: true, projectId: here.projectId });
  const fn = await pageMailer(app, answering('ctx.email.send(params.mail)'), here.projectId, there.projectId);
  const byVisitor = async ({ post }: SiteVisitors) =>
    (await post(`account-functions/${fn}`, { mail: plain({ subject: 'From a page' }) })).body.data;
  expect(await byVisitor(here)).toEqual({ sent: expect.objectContaining({ messageId: expect.any(String) }) });
  expect(server.last.mail.subject).toBe('From a page');
  const before = server.received.length;
  const { result } = await done(app, 'automations/invokeFunction', { id: fn, event: { mail: plain() } });
  for (const { refused } of [await byVisitor(there), result]) {
    expect(refused).toMatchObject({ status: 403, code: 'needsMailbox' });
  }
  expect(server.received.length).toBe(before);
  await done(app, 'automations/deleteMailAccount', { id });
});

describe('ctx.email.sendVia', () => {
  it('refuses a name that no mailbox has, and one that was deleted', async () => {
    const { id, name } = await mailbox();
    expect((await send(plain(), name)).sent).toBeDefined();
    await done(app, 'automations/deleteMailAccount', { id });
    for (const gone of [name, 'never there']) {
      const { refused } = await send(plain(), gone);
      expect(refused).toMatchObject({ status: 404, code: 'mailbox-unknown', message: expect.stringContaining(gone) });
    }
  });

  it('finds a mailbox by its present name', async () => {
    const { id, name } = await mailbox();
    await done(app, 'automations/updateMailAccount', { id, name: `${name} renamed` });
    expect((await send(plain(), name)).refused.code).toBe('mailbox-unknown');
    expect((await send(plain(), `${name} renamed`)).sent).toBeDefined();
  });

  it('refuses a mailbox that is switched off', async () => {
    const { id, name } = await mailbox();
    await done(app, 'automations/updateMailAccount', { id, isActive: false });
    const before = server.connections;
    expect((await send(plain(), name)).refused).toMatchObject({ status: 409, code: 'mailbox-inactive' });
    expect(server.connections).toBe(before);
  });

  it('requires a name', async () => {
    const fn = await mailer(app, answering('ctx.email.sendVia(params.mail, params.mail)'));
    const { result } = await done(app, 'automations/invokeFunction', { id: fn, event: { mail: plain() } });
    expect(result.refused).toMatchObject({ status: 400, code: 'invalid-input' });
  });
});
