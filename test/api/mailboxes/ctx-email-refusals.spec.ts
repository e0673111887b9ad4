// Engines: one process, and several.
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { MailServerForTests } from '../../support/mail/mail-server.js';
import { createMailbox, Mailer, mailboxAt, password, plain, shown } from '../../support/mail/mailboxes.js';
import { done } from '../../support/people.js';
import { onSeveral } from '../../support/shared-app.js';
import { sharedOutside } from '../../support/shared-outside.js';

let app: TestApp;
let server: MailServerForTests;
let send: Mailer['send'];
let functionId = '';
beforeAll(async () => {
  server = await MailServerForTests.start({ password });
  app = await sharedOutside({ several: onSeveral });
  const ofEmail = await Mailer.of(app);
  functionId = ofEmail.functionId;
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

const many = (count: number) => Array.from({ length: count }, (_, at) => `r${at}@example.org`);
const files = (count: number, content: string) =>
  Array.from({ length: count }, (_, at) => ({ filename: `${at}.txt`, content }));

describe('a mail that cannot be sent as requested', () => {
  let name = '';
  beforeAll(async () => {
    name = (await mailbox()).name;
  });

  const refusals: readonly (readonly [string, object | string, string, number])[] = [
    ['no recipient', { to: undefined }, 'mail-invalid', 400],
    ['an empty list of recipients', { to: [] }, 'mail-invalid', 400],
    ['two addresses in one text', { to: 'ada@example.org, bob@example.org' }, 'mail-invalid', 400],
    ['a recipient that is no address', { to: 'ada' }, 'mail-invalid', 400],
    ['an address that is an object', { to: { address: 'ada@example.org' } }, 'mail-invalid', 400],
    ['no subject', { subject: undefined }, 'mail-invalid', 400],
    ['a subject of two lines', { subject: 'a\r\nBcc: eve@example.org' }, 'mail-invalid', 400],
    ['a subject of 999 characters', { subject: 'a'.repeat(999) }, 'mail-invalid', 400],
    ['neither text nor html', { text: undefined }, 'mail-invalid', 400],
    ['a text that is none', { text: { a: 1 } }, 'mail-invalid', 400],
    ['a marker of a secret as text', { text: { $secret: 'PAY_KEY', seal: 'x' } }, 'mail-invalid', 400],
    ['a header of its own', { headers: { 'X-A': 'b' } }, 'mail-invalid', 400],
    ['a raw mail', { raw: 'From: eve@example.org\r\n\r\n' }, 'mail-invalid', 400],
    ['another sender', { from: 'eve@example.org' }, 'mail-invalid', 400],
    ['another envelope', { envelope: { from: 'eve@example.org', to: 'x@example.org' } }, 'mail-invalid', 400],
    ['51 recipients', { to: many(30), cc: many(21) }, 'mail-too-many-recipients', 400],
    ['a text past its bytes', { text: 'ä'.repeat(131_073) }, 'mail-text-too-large', 413],
    ['html past its bytes', { html: 'a'.repeat(262_145) }, 'mail-text-too-large', 413],
    ['attachments that are no list', { attachments: {} }, 'mail-invalid', 400],
    ['11 attachments', { attachments: files(11, 'x') }, 'mail-too-many-attachments', 400],
    ['attachments past their bytes', { attachments: files(2, 'a'.repeat(262_145)) }, 'mail-attachments-too-large', 413],
    ['an attachment by its path', { attachments: [{ filename: 'a', path: '/etc/passwd' }] }, 'mail-invalid', 400],
    [
      'an attachment by its address',
      { attachments: [{ filename: 'a', href: 'http://127.0.0.1' }] },
      'mail-invalid',
      400,
    ],
    [
      'an attachment whose content is a place',
      { attachments: [{ filename: 'a', content: { path: '/etc/passwd' } }] },
      'mail-invalid',
      400,
    ],
    ['a raw attachment', { attachments: [{ filename: 'a', raw: 'X: y' }] }, 'mail-invalid', 400],
    [
      'an attachment in no base64',
      { attachments: [{ filename: 'a', content: 'a b', encoding: 'base64' }] },
      'mail-invalid',
      400,
    ],
    [
      'an attachment in another encoding',
      { attachments: [{ filename: 'a', content: 'a', encoding: 'hex' }] },
      'mail-invalid',
      400,
    ],
    [
      'an attachment that is made of parts',
      { attachments: [{ filename: 'a', content: 'a', contentType: 'multipart/mixed' }] },
      'mail-invalid',
      400,
    ],
    [
      'a type with a header in it',
      { attachments: [{ filename: 'a', content: 'a', contentType: 'text/plain\r\nX: y' }] },
      'mail-invalid',
      400,
    ],
    ['a filename of two lines', { attachments: [{ filename: 'a\nX: y', content: 'a' }] }, 'mail-invalid', 400],
    ['no mail at all', 'hello', 'mail-invalid', 400],
  ];

  it.each(refusals)('with %s is refused, and nothing is sent', async (_, more, code, status) => {
    const before = server.connections;
    const { refused } = await send(typeof more === 'string' ? more : plain(more), name);
    expect(refused).toMatchObject({ code, status });
    expect(refused.message).toMatch(/^Nothing was sent: /);
    expect(server.connections).toBe(before);
  });

  it('does not count towards the hourly limit', async () => {
    expect((await shown(app, await idOf(name))).sentCount).toBe(0);
  });

  it('is sent if it is just within the limits', async () => {
    const mail = plain({
      to: many(50),
      subject: 'a'.repeat(998),
      text: 'ä'.repeat(131_072),
      attachments: files(10, 'a'.repeat(52_428)),
    });
    expect((await send(mail, name)).refused).toBeUndefined();
    expect(server.last.to).toHaveLength(50);
  });
});

async function idOf(name: string): Promise<string> {
  const all = await done(app, 'automations/listMailAccounts');
  return all.find((one: { name: string }) => one.name === name).id;
}

describe('the record of a mail', () => {
  const entries = async (id: string) => {
    const { EventStore } = await import('../../../src/ports/event-store.port.js');
    const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
    return app.app.get(EventStore, { strict: false }).readStream(`mail-${workspaceId}.${id}`);
  };

  it('has no content, but the sender and the run', async () => {
    const { id, name } = await mailbox();
    const { sent, runId } = await send(plain({ to: many(3), subject: 'Our secret' }), name);
    server.atRecipient = () => '550 5.1.1 unknown';
    const failed = await send(plain(), name);
    const [first, second] = await entries(id);
    expect(first).toMatchObject({
      type: 'MailSent',
      data: {
        mailbox: name,
        recipients: 3,
        refused: 0,
        messageId: sent.messageId,
        purpose: 'mail',
        run: { functionId, runId },
      },
      metadata: { actor: { kind: 'function', id: functionId }, causationId: runId },
    });
    expect(second).toMatchObject({
      type: 'MailFailed',
      data: {
        mailbox: name,
        recipients: 1,
        kind: 'recipients',
        surelyNotSent: true,
        run: { functionId, runId: failed.runId },
      },
    });
    expect(JSON.stringify([first, second])).not.toMatch(/Our secret|example\.org|How are you/);
  });

  it("is shown as the mailbox's lastError to those who may manage it, until a mail succeeds", async () => {
    const { id, name } = await mailbox();
    server.atMail = '552 5.2.2 full';
    await send(plain(), name);
    expect((await shown(app, id)).lastError).toMatch(/refused the mail \(552 5\.2\.2\)/);
    server.willing();
    await send(plain(), name);
    expect((await shown(app, id)).lastError).toBeNull();
  });
});

describe('a server that refuses', () => {
  it.each([
    [
      'to the login',
      { atLogin: '535 5.7.8 Bad credentials' },
      'mail-login',
      502,
      /does not accept this username and password \(535 5\.7\.8\)/,
    ],
    [
      'to the login for now',
      { atLogin: '454 4.7.0 Later' },
      'mail-later',
      503,
      /cannot check the login at present \(454 4\.7\.0\)/,
    ],
    [
      'to the sender',
      { atSender: '553 5.7.1 Not you' },
      'mail-refused',
      502,
      /refused the sender's address \(553 5\.7\.1\).* The server's message: .*Not you/,
    ],
    [
      'to the recipient',
      { atRecipient: () => '550 5.1.1 Nobody here' },
      'mail-recipients',
      502,
      /refused every recipient \(550 5\.1\.1\).* The server's message: .*Nobody here/,
    ],
    [
      'by greylisting',
      { atRecipient: () => '451 4.7.1 Greylisted' },
      'mail-later',
      503,
      /does not accept the mail at present \(451 4\.7\.1\); try again later/,
    ],
    ['to the mail', { atMail: '554 5.7.1 Spam' }, 'mail-refused', 502, /refused the mail \(554 5\.7\.1\)/],
    ['to the mail for now', { atMail: '452 4.3.1 Full' }, 'mail-later', 503, /try again later/],
    [
      'by hanging up at the recipient',
      { atRecipient: () => 'drop' as const },
      'mail-lost',
      502,
      /closed the connection/,
    ],
  ])(
    '%s is reported with its cause, and the share of the hourly limit is returned',
    async (_, no, code, status, message) => {
      const { id, name } = await mailbox();
      const before = server.received.length;
      Object.assign(server, no);
      const { refused } = await send(plain(), name);
      expect(refused).toEqual({ code, status, message: expect.stringMatching(message) });
      expect(refused.message).not.toMatch(/\n/);
      expect(server.received.length).toBe(before);
      expect((await shown(app, id)).sentCount).toBe(0);
    },
  );

  it('by hanging up after the mail leaves its fate open, so it counts', async () => {
    const { id, name } = await mailbox();
    server.atMail = 'drop';
    const { refused } = await send(plain(), name);
    expect(refused).toMatchObject({
      code: 'mail-lost',
      message: expect.stringMatching(/The mail may nevertheless have been sent\.$/),
    });
    expect((await shown(app, id)).sentCount).toBe(1);
  });

  it('to some recipients gets the mail for the others, and only these are counted', async () => {
    const { id, name } = await mailbox();
    server.atRecipient = (address) => (address.startsWith('r1@') ? '550 5.1.1 unknown' : undefined);
    const { sent } = await send(plain({ to: many(3) }), name);
    expect(sent.refused).toEqual(['r1@example.org']);
    expect(server.last.to).toEqual(['r0@example.org', 'r2@example.org']);
    expect((await shown(app, id)).sentCount).toBe(2);
  });
});
