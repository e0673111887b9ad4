import { spawnSync } from 'node:child_process';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTransport } from 'nodemailer';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { makeCertificate } from '../../support/mail/certificate.js';
import { freePort } from '../../support/mail/free-port.js';
import { type Hooked, hooked, mailsOf, settled } from '../../support/mail/mailhooks.js';
import { mailOf, ordinary } from '../../support/mail/mails.js';
import { deliver, SmtpClient } from '../../support/mail/smtp-client.js';

let app: TestApp;
let port: number;
let hook: Hooked;
const certificate = makeCertificate();
beforeAll(async () => {
  port = await freePort();
  app = await startApp({
    environment: {
      SMTP_IN_PORT: String(port),
      SMTP_IN_MAX_MB: '1',
      SMTP_IN_TLS_CERT: certificate.cert,
      SMTP_IN_TLS_KEY: certificate.key,
    },
  });
  hook = await hooked(app, 'return 1');
});
afterAll(async () => {
  await app.close();
  certificate.remove();
});

const clients: SmtpClient[] = [];
const client = async () => {
  const made = await SmtpClient.to(port);
  clients.push(made);
  return made;
};
afterAll(() => {
  for (const made of clients) made.close();
});
const greeted = async () => {
  const made = await client();
  await made.says('EHLO client.example');
  return made;
};
/** Each connection waits 100 ms for its greeting, so the cases of a test have theirs at once. */
const atOnce = <Case, Answer>(cases: readonly Case[], ask: (one: Case) => Promise<Answer>) =>
  Promise.all(cases.map(async (one) => [one, await ask(one)] as const));
const count = async () => (await mailsOf(app, hook.id)).length;

describe('the mail server', () => {
  it('announces its limits under the name of the domain, and offers no sign-in', async () => {
    const reply = await (await client()).says('EHLO client.example');
    expect(reply.split('\r\n').map((line) => line.slice(4))).toEqual([
      'mail.localhost',
      'PIPELINING',
      '8BITMIME',
      'SMTPUTF8',
      'ENHANCEDSTATUSCODES',
      'STARTTLS',
      `SIZE ${1024 * 1024}`,
    ]);
  });

  it('does not know commands that it does not need', async () => {
    const lines = [
      ...['VRFY ada', 'EXPN staff', 'AUTH PLAIN AAAA', 'HELP', 'XCLIENT ADDR=1.2.3.4', 'XFORWARD ADDR=1.2.3.4'],
      ...['WIZ x', 'SHELL', 'ETRN a', 'BDAT 5 LAST', 'TURN'],
    ];
    const replies = await atOnce(lines, async (line) => (await greeted()).says(line));
    expect(replies).toEqual(lines.map((line) => [line, expect.stringMatching(/^50[0-4] /)]));
  });

  it('answers equally for an unknown address, a deleted one, one of another domain, and an invalid one', async () => {
    const gone = await hooked(app, 'return 1');
    await app.call('automations/deleteMailhook', { id: gone.id });
    const local = hook.address.split('@')[0];
    const asked = await greeted();
    await asked.says('MAIL FROM:<ada@example.com>');
    const answers = [];
    for (const to of [
      'nobody@mail.localhost',
      gone.address,
      `${local}@example.com`,
      'ada@example.com',
      'postmaster',
      `${local}x@mail.localhost`,
    ]) {
      answers.push(await asked.says(`RCPT TO:<${to}>`));
    }
    expect(new Set(answers)).toEqual(new Set(['550 5.1.1 There is no such address here']));
  });

  it('disconnects a client that guesses', async () => {
    const guessing = await greeted();
    await guessing.says('MAIL FROM:<ada@example.com>');
    const answers = [];
    for (let at = 0; at < 10; at += 1) answers.push(await guessing.says(`RCPT TO:<guess${at}@mail.localhost>`));
    expect(answers.at(-1)).toMatch(/^421 /);
    await guessing.ended();
  });

  it('accepts an address in any case', async () => {
    expect(await deliver(port, hook.address.toUpperCase(), mailOf(ordinary(['Message-ID: <case@x>'])))).toMatch(/^250/);
  });

  it('accepts a limited number of recipients per mail', async () => {
    const input = { name: 'Many', targetKind: 'account_function', targetRef: hook.fnId };
    const create = async () => (await app.call('automations/createMailhook', input)).body;
    const hooks = await Promise.all(Array.from({ length: 11 }, create));
    const many = await greeted();
    await many.says('MAIL FROM:<ada@example.com>');
    const answers = [];
    for (const { address } of hooks) answers.push((await many.says(`RCPT TO:<${address}>`)).slice(0, 3));
    expect(answers).toEqual([...Array(10).fill('250'), '452']);
  });

  it('refuses a mail with too large a declared size, and one that is too large', async () => {
    const honest = await greeted();
    expect(await honest.says('MAIL FROM:<a@b.c> SIZE=2000000')).toMatch(/^552 /);
    const before = await count();
    const large = mailOf(ordinary(), `${'x'.repeat(78)}\r\n`.repeat(14_000));
    expect(await deliver(port, hook.address, large)).toMatch(/^552 5\.\d\.\d /);
    expect(await count()).toBe(before);
  });

  it('aborts a mail of 50 MB when it is clear that it is too large', async () => {
    const endless = await client();
    expect(await endless.upToText([hook.address])).toMatch(/^354/);
    const piece = Buffer.from(`${'x'.repeat(998)}\r\n`.repeat(1_000));
    for (let at = 0; at < 50; at += 1) endless.send(piece);
    expect(await endless.reply()).toMatch(/^421 /);
    await endless.ended();
  });

  it('accepts no mail that could smuggle another in, and makes none of it', async () => {
    const texts = {
      'a bare LF': 'one\ntwo\r\n',
      'a bare CR': 'one\rtwo\r\n',
      'LF . CR LF': 'one\n.\r\nMAIL FROM:<evil@x>\r\n',
      'LF . LF': 'one\n.\nMAIL FROM:<evil@x>\r\n',
      'CR LF . LF': 'one\r\n.\nMAIL FROM:<evil@x>\r\n',
      'CR . CR': 'one\r.\rMAIL FROM:<evil@x>\r\n',
      'CR . CR LF': 'one\r.\r\nMAIL FROM:<evil@x>\r\n',
      'CR CR LF . CR CR LF': 'one\r\r\n.\r\r\nMAIL FROM:<evil@x>\r\n',
      'CR LF NUL . CR LF with a bare LF': 'one\r\n\0.\r\n\n.\r\n',
    };
    const before = await count();
    const smuggled = `RCPT TO:<${hook.address}>\r\nDATA\r\nFrom: evil@x\r\n\r\nsmuggled\r\n.\r\n`;
    const replies = await atOnce(Object.entries(texts), async ([, text]) => {
      const smuggling = await client();
      const begun = await smuggling.upToText([hook.address]);
      smuggling.send(`From: a@b.c\r\n\r\n${text}${smuggled}`);
      const answered = await smuggling.reply();
      smuggling.send('QUIT\r\n');
      return [begun, answered, await smuggling.reply()].map((reply) => reply.slice(0, 4));
    });
    expect(replies).toEqual(Object.entries(texts).map((one) => [one, ['354 ', '554 ', '221 ']]));
    expect(await count()).toBe(before);
  });

  it('accepts mail that is sent byte by byte', async () => {
    const slow = await client();
    expect(await slow.upToText([hook.address])).toMatch(/^354/);
    for (const byte of 'From: a@b.c\r\nMessage-ID: <slow@x>\r\n\r\n..\r\n..dots\r\n.\r\n') {
      slow.send(byte);
      await new Promise(setImmediate);
    }
    expect(await slow.reply()).toMatch(/^250/);
    const mail = await eventually(
      async () => (await mailsOf(app, hook.id)).find((one: { messageId: string }) => one.messageId === '<slow@x>'),
      (found) => found?.status === 'ok',
    );
    expect(mail.text).toBe('.\n.dots\n');
  });

  it('accepts mail from a client that does not wait for answers', async () => {
    const hasty = await client();
    const commands = [
      'EHLO c',
      'MAIL FROM:<a@b.c>',
      `RCPT TO:<${hook.address}>`,
      'RCPT TO:<no@mail.localhost>',
      'DATA',
    ];
    hasty.send(`${commands.join('\r\n')}\r\n`);
    const codes = [];
    for (const _ of commands) codes.push((await hasty.reply()).slice(0, 3));
    expect(codes).toEqual(['250', '250', '250', '550', '354']);
    hasty.send('From: a@b.c\r\n\r\nhasty\r\n.\r\nRSET\r\nQUIT\r\n');
    expect([
      (await hasty.reply()).slice(0, 3),
      (await hasty.reply()).slice(0, 3),
      (await hasty.reply()).slice(0, 3),
    ]).toEqual(['250', '250', '221']);
  });

  it('refuses commands in the wrong order or form', async () => {
    const wrong: readonly (readonly [lines: readonly string[], code: string])[] = [
      [['MAIL FROM:<a@b.c>', 'DATA'], '503'],
      [['RCPT TO:<a@b.c>'], '503'],
      [['MAIL FROM:a@b.c'], '501'],
      [[`MAIL FROM:<${'a'.repeat(5_000)}@b.c>`], '421'],
      [['MAIL FROM:<a@b.c>', 'MAIL FROM:<a@b.c>'], '503'],
    ];
    const replies = await atOnce(wrong, async ([lines]) => {
      const confused = await greeted();
      let reply = '';
      for (const line of lines) reply = await confused.says(line);
      return reply.slice(0, 3);
    });
    expect(replies).toEqual(wrong.map((one) => [one, one[1]]));
  });

  it('distinguishes HTTP from SMTP', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.setEncoding('utf8');
    let said = '';
    const ended = new Promise((resolve) => socket.on('data', (text) => (said += text)).on('close', resolve));
    socket.write('POST / HTTP/1.1\r\nHost: x\r\n\r\nEHLO x\r\n');
    socket.end();
    await ended;
    expect(said).not.toMatch(/^250/m);
  });

  it('accepts addresses and text that are not ASCII', async () => {
    const raw = Buffer.from(
      'From: Jürgen <jürgen@exämple.com>\r\nSubject: Grüße\r\nMessage-ID: <utf8@x>\r\n\r\nSchöne Grüße\r\n',
    );
    const wide = await greeted();
    expect(await wide.says('MAIL FROM:<jürgen@exämple.com> SMTPUTF8 BODY=8BITMIME')).toMatch(/^250/);
    expect(await wide.says(`RCPT TO:<${hook.address}>`)).toMatch(/^250/);
    await wide.says('DATA');
    wide.send(raw);
    expect(await wide.says('.')).toMatch(/^250/);
    const mail = await eventually(
      async () => (await mailsOf(app, hook.id)).find((one: { messageId: string }) => one.messageId === '<utf8@x>'),
      (found) => found?.status === 'ok',
    );
    expect(mail).toMatchObject({ subject: 'Grüße', from: { name: 'Jürgen', address: 'jürgen@exämple.com' } });
  });

  it('encrypts if the client requests it', async () => {
    const transport = createTransport({
      host: '127.0.0.1',
      port,
      requireTLS: true,
      tls: { rejectUnauthorized: false },
    });
    const sent = await transport.sendMail({ from: 'a@b.c', to: hook.address, subject: 'Sealed', text: 'x' });
    expect(sent.response).toMatch(/^250/);
  });

  it('accepts nothing more once a mail is aborted', async () => {
    const before = await count();
    const dropped = await client();
    expect(await dropped.upToText([hook.address])).toMatch(/^354/);
    dropped.send('From: a@b.c\r\n\r\nhalf of a ma');
    dropped.close();
    expect(await deliver(port, hook.address, mailOf(ordinary(['Message-ID: <after@x>'])))).toMatch(/^250/);
    expect(await count()).toBe(before + 1);
  });

  it('is named among the parts that the service needs', async () => {
    const { body } = await app.send('GET', '/readyz');
    expect(body.parts).toMatchObject({ mailIn: 'ok', blobs: 'ok' });
  });

  const swaks = spawnSync('swaks', ['--version']).status === 0;
  (swaks ? it : it.skip)(
    `accepts mail of swaks${swaks ? '' : ' (swaks is not installed here: apt-get install swaks)'}`,
    async () => {
      const { spawn } = await import('node:child_process');
      const told = await hooked(app, 'return 1');
      const args = [
        '--server',
        `127.0.0.1:${port}`,
        '--to',
        told.address,
        '--from',
        'ada@example.com',
        '--tls',
        '--header',
        'Subject: By swaks',
        '--attach',
        '-',
        '--body',
        'Hello',
      ];
      const child = spawn('swaks', args);
      child.stdin.end('attached');
      let said = '';
      child.stdout.on('data', (text) => (said += text));
      const code = await new Promise((resolve) => child.on('close', resolve));
      expect([code, said]).toEqual([0, expect.stringContaining('250')]);
      expect(await settled(app, told.id)).toMatchObject([{ status: 'ok', subject: 'By swaks' }]);
    },
  );
});
