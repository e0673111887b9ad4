import { afterEach, describe, expect, it } from '@jest/globals';
import { HttpEgress } from '../../../src/adapters/egress/http/http-egress.adapter.js';
import { type SmtpLimits, SmtpMail } from '../../../src/adapters/mail/smtp/smtp-mail.adapter.js';
import { SystemClock } from '../../../src/adapters/system/system-clock.adapter.js';
import { MailError, type MailMessage, type MailServer } from '../../../src/ports/network/mail.port.js';
import { Authority } from '../../support/egress/certificates.js';
import { resolverOf } from '../../support/egress/egress-scene.js';
import { TestServer } from '../../support/egress/test-server.js';
import { eventually } from '../../support/eventually.js';
import { MailServerForTests, type MailServerWish, mailAuthority, username } from '../../support/mail/mail-server.js';

const password = 'a password of the contract';
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function serverOf(wish: Partial<MailServerWish> = {}): Promise<MailServerForTests> {
  const server = await MailServerForTests.start({ password, ...wish });
  closing.push(() => server.close());
  return server;
}

interface Wish {
  readonly limits?: Partial<SmtpLimits>;
  readonly plaintextAllow?: readonly string[];
  readonly allow?: readonly string[];
  readonly names?: Readonly<Record<string, readonly string[]>>;
}

function mailOf({ limits = {}, plaintextAllow = [], allow = ['127.0.0.1'], names }: Wish = {}): SmtpMail {
  const clock = new SystemClock();
  const egress = new HttpEgress({ clock, allow, ...resolverOf(names) });
  const mail = new SmtpMail({ egress, clock, plaintextAllow, ca: [mailAuthority.cert], limits });
  closing.push(() => mail.close());
  return mail;
}

const at = ({ port }: { readonly port: number }, more: Partial<MailServer> = {}): MailServer => ({
  mailbox: 'mailbox_1',
  host: '127.0.0.1',
  port,
  secure: false,
  username,
  passwordId: 'val_1',
  password: async () => password,
  ...more,
});

const message = (more: Partial<MailMessage> = {}): MailMessage => ({
  messageId: '<1@example.com>',
  from: { address: 'robot@example.com' },
  to: [{ address: 'ada@example.org' }],
  cc: [],
  bcc: [],
  replyTo: undefined,
  subject: 'Hello',
  text: 'How are you?',
  html: undefined,
  attachments: [],
  ...more,
});

async function trouble(work: Promise<unknown>): Promise<MailError> {
  const error = await work.then(
    () => new Error('It worked.'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof MailError)) throw error;
  expect(error.message).not.toMatch(/[\r\n]/);
  return error;
}

describe('mail by SMTP, the way to the server', () => {
  it('is TLS from the first byte with secure true', async () => {
    const server = await serverOf({ security: 'tls' });
    await mailOf().send(at(server, { secure: true }), message());
    expect(server.last.secure).toBe(true);
  });

  it('is STARTTLS with secure false', async () => {
    const server = await serverOf();
    await mailOf().send(at(server), message());
    expect(server.last.secure).toBe(true);
  });

  it('is refused with secure false at a server without STARTTLS: neither the password nor the mail is sent', async () => {
    const server = await serverOf({ security: 'none' });
    const { kind, message: sentence, surelyNotSent } = await trouble(mailOf().send(at(server), message()));
    expect([kind, surelyNotSent]).toEqual(['tls', true]);
    expect(sentence).toMatch(/does not offer STARTTLS .*SMTP_PLAINTEXT_ALLOW/);
    expect([server.passwords, server.received]).toEqual([[], []]);
  });

  it('may be without STARTTLS if the operator lists the host, but uses it if it is offered', async () => {
    const [plain, offering] = [await serverOf({ security: 'none' }), await serverOf()];
    const mail = mailOf({ plaintextAllow: ['127.0.0.1'] });
    await mail.send(at(plain), message());
    await mail.send(at(offering, { mailbox: 'mailbox_2' }), message());
    expect([plain.last.secure, offering.last.secure]).toEqual([false, true]);
  });

  it('is not plain to a host that is not listed', async () => {
    const server = await serverOf({ security: 'none' });
    const mail = mailOf({ plaintextAllow: ['localhost'], names: { 'mail.test': ['127.0.0.1'] } });
    expect((await trouble(mail.verify(at(server)))).kind).toBe('tls');
    expect((await trouble(mail.verify(at(server, { host: 'mail.test' })))).kind).toBe('tls');
  });

  it.each([
    [
      'from an issuer that is not trusted',
      () => new Authority('Other').issue({ hosts: ['127.0.0.1'] }),
      /issuer that is not trusted here/,
    ],
    ['for another host', () => mailAuthority.issue({ hosts: ['mail.example.org'] }), /is for another host/],
    ['that has expired', () => mailAuthority.issue({ hosts: ['127.0.0.1'], from: -9, until: -2 }), /has expired/],
  ])('trusts no certificate %s, with either setting', async (_, issue, reason) => {
    const certificate = issue();
    for (const secure of [true, false]) {
      const server = await serverOf({ security: secure ? 'tls' : 'starttls', certificate });
      const { kind, message: sentence } = await trouble(mailOf().verify(at(server, { secure })));
      expect([secure, kind, sentence]).toEqual([secure, 'tls', expect.stringMatching(reason)]);
      expect(server.passwords).toEqual([]);
    }
  });

  it('trusts no certificate of a listed plaintext host either, once it offers STARTTLS', async () => {
    const server = await serverOf({ certificate: new Authority('Other').issue({ hosts: ['127.0.0.1'] }) });
    const mail = mailOf({ plaintextAllow: ['127.0.0.1'] });
    expect((await trouble(mail.send(at(server), message()))).kind).toBe('tls');
    expect(server.passwords).toEqual([]);
  });

  it.each(['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', '2130706433', 'inside.example.com'])(
    'does not lead to %s, and the error names the setting that permits it',
    async (host) => {
      const server = await serverOf();
      const mail = mailOf({ allow: [], names: { 'inside.example.com': ['10.0.0.1'] } });
      const { kind, message: sentence } = await trouble(mail.verify(at(server, { host })));
      expect([kind, sentence]).toEqual(['address', expect.stringMatching(/can allow it with EGRESS_ALLOW/)]);
      expect(server.connections).toBe(0);
    },
  );

  it('reports an unknown name, and a port without a listener', async () => {
    const server = await serverOf();
    const mail = mailOf();
    const unknown = await trouble(mail.verify(at(server, { host: 'nowhere.example' })));
    expect([unknown.kind, unknown.message]).toEqual(['unreachable', expect.stringContaining('is not known to DNS')]);
    const { port } = server;
    await server.close();
    const refused = await trouble(mail.verify(at({ port })));
    expect([refused.kind, refused.message]).toEqual(['unreachable', expect.stringContaining('refuses connections')]);
  });

  it('reports a mix-up of TLS and STARTTLS', async () => {
    const limits = { greetingMs: 300 };
    const [starttls, tls] = [await serverOf(), await serverOf({ security: 'tls' })];
    expect((await trouble(mailOf({ limits }).verify(at(starttls, { secure: true })))).kind).toBe('tls');
    expect((await trouble(mailOf({ limits }).verify(at(tls)))).kind).toBe('timeout');
  });
});

describe('mail by SMTP, in bounded time', () => {
  const raw = async (talk: Parameters<typeof TestServer.raw>[0]) => {
    const server = await TestServer.raw(talk);
    closing.push(() => server.close());
    return server;
  };

  it('is given up if the server never greets', async () => {
    const server = await raw(() => undefined);
    const { kind, surelyNotSent } = await trouble(mailOf({ limits: { greetingMs: 50 } }).send(at(server), message()));
    expect([kind, surelyNotSent]).toEqual(['timeout', true]);
    await eventually(
      async () => server.open.size,
      (open) => open === 0,
    );
  });

  it('is given up if the server sends words forever', async () => {
    const server = await raw((socket) => {
      const timer = setInterval(() => socket.write('220-still here\r\n'), 10);
      socket.once('close', () => clearInterval(timer));
    });
    const { kind } = await trouble(mailOf({ limits: { mailMs: 200 } }).send(at(server), message()));
    expect(kind).toBe('timeout');
    await eventually(
      async () => server.open.size,
      (open) => open === 0,
    );
  });

  it('is given up if the TLS handshake never ends', async () => {
    const server = await raw((socket) => void socket.on('data', () => undefined));
    const mail = mailOf({ limits: { mailMs: 150 } });
    expect((await trouble(mail.verify(at(server, { secure: true })))).kind).toBe('timeout');
    await eventually(
      async () => server.open.size,
      (open) => open === 0,
    );
  });

  it('is given up if no connection becomes free', async () => {
    const server = await serverOf();
    server.atMail = 'stall';
    const mail = mailOf({ limits: { ofMailbox: 1, mailMs: 500, silenceMs: 60_000 } });
    const both = await Promise.all([
      trouble(mail.send(at(server), message())),
      trouble(mail.send(at(server), message())),
    ]);
    expect(both.map(({ kind, surelyNotSent }) => [kind, surelyNotSent])).toEqual([
      ['timeout', false],
      ['timeout', true],
    ]);
  });

  it('is uncertain if the server speaks another protocol', async () => {
    const server = await raw((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    expect((await trouble(mailOf().verify(at(server)))).kind).toBe('lost');
  });

  it('is uncertain if the server never ends a reply', async () => {
    const server = await raw((socket) => {
      const more = () => {
        if (!socket.destroyed) socket.write('2'.repeat(16_384), () => setImmediate(more));
      };
      more();
    });
    expect((await trouble(mailOf().verify(at(server)))).kind).toBe('lost');
  });
});

describe('mail by SMTP, its connections', () => {
  it('are reused for the next mail of the mailbox, and for no other mailbox', async () => {
    const server = await serverOf();
    const mail = mailOf();
    for (let n = 0; n < 3; n += 1) await mail.send(at(server), message());
    expect(server.connections).toBe(1);
    await mail.send(at(server, { mailbox: 'mailbox_2' }), message());
    expect(server.connections).toBe(2);
  });

  it('do not exceed the limit per mailbox, and all mails are sent', async () => {
    const server = await serverOf();
    const mail = mailOf({ limits: { ofMailbox: 3 } });
    await Promise.all(Array.from({ length: 20 }, () => mail.send(at(server), message())));
    expect([server.connections, server.received.length]).toEqual([3, 20]);
  });

  it('do not exceed the total limit: an idle one is closed for another', async () => {
    const server = await serverOf();
    const mail = mailOf({ limits: { ofAll: 2 } });
    for (const mailbox of ['a', 'b', 'c', 'd']) await mail.send(at(server, { mailbox }), message());
    expect(server.connections).toBe(4);
    await eventually(
      () => server.open(),
      (open) => open === 2,
    );
    await Promise.all(['e', 'f', 'g', 'h'].map((mailbox) => mail.send(at(server, { mailbox }), message())));
    expect(server.received).toHaveLength(8);
  });

  it('are closed after some idle time', async () => {
    const server = await serverOf();
    await mailOf({ limits: { idleMs: 20 } }).send(at(server), message());
    await eventually(
      () => server.open(),
      (open) => open === 0,
    );
  });

  it('are closed after the maximum number of mails', async () => {
    const server = await serverOf();
    const mail = mailOf({ limits: { mails: 2 } });
    for (let n = 0; n < 5; n += 1) await mail.send(at(server), message());
    expect(server.connections).toBe(3);
  });

  it.each([
    ['the password', { passwordId: 'val_2' }],
    ['the host', { host: 'localhost' }],
  ])('are closed and not reused once %s has changed', async (_, more) => {
    const server = await serverOf();
    const mail = mailOf({ names: { localhost: ['127.0.0.1'] } });
    await mail.send(at(server), message());
    await mail.send(at(server, more), message());
    expect(server.connections).toBe(2);
    await eventually(
      () => server.open(),
      (open) => open === 1,
    );
  });

  it('that the server has ended are detected, and the mail is sent over another one, once', async () => {
    const server = await serverOf();
    const mail = mailOf();
    await Promise.all(Array.from({ length: 5 }, () => mail.send(at(server), message())));
    server.hangUp();
    await mail.send(at(server), message());
    expect(server.received).toHaveLength(6);
  });

  it('are all closed at the end', async () => {
    const server = await serverOf();
    const mail = mailOf();
    await Promise.all(Array.from({ length: 4 }, () => mail.send(at(server), message())));
    await mail.close();
    await eventually(
      () => server.open(),
      (open) => open === 0,
    );
  });
});

describe('mail by SMTP, the replies of a server', () => {
  const forms = [
    password,
    Buffer.from(password).toString('base64'),
    Buffer.from(`\0${username}\0${password}`).toString('base64'),
  ];

  it.each(forms)('are reported without the password: %s', async (form) => {
    const server = await serverOf();
    server.atRecipient = () => `550 5.1.1 you said ${form}, I say no`;
    const { message: sentence, serverSaid } = await trouble(mailOf().send(at(server), message()));
    expect(serverSaid).toContain('I say no');
    for (const shown of forms) expect(`${sentence} ${serverSaid}`).not.toContain(shown);
  });

  it('are not reported for a sign-in, or if the password is too short to be found', async () => {
    const server = await serverOf();
    server.atLogin = `535 5.7.8 ${password}`;
    expect((await trouble(mailOf().verify(at(server)))).serverSaid).toBeUndefined();
    const short = await serverOf({ password: 'abc' });
    short.atRecipient = () => '550 abc';
    const { serverSaid } = await trouble(mailOf().send(at(short, { password: async () => 'abc' }), message()));
    expect(serverSaid).toBeUndefined();
  });

  it('are reported in one short line', async () => {
    const server = await serverOf();
    server.atRecipient = () => `550 ${'no '.repeat(200)}`;
    expect((await trouble(mailOf().send(at(server), message()))).serverSaid?.length).toBeLessThanOrEqual(200);
  });
});
