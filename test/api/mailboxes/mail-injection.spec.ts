import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { TestApp } from '../../support/app.js';
import { runs } from '../../support/depth.js';
import { MailServerForTests } from '../../support/mail/mail-server.js';
import { createMailbox, Mailer, mailboxAt, password, plain } from '../../support/mail/mailboxes.js';
import { sharedOutside } from '../../support/shared-outside.js';

let app: TestApp;
let server: MailServerForTests;
let mailer: Mailer;
let name = '';
beforeAll(async () => {
  server = await MailServerForTests.start({ password });
  app = await sharedOutside();
  mailer = await Mailer.of(app);
  name = (await createMailbox(app, mailboxAt(server, { hourlyLimit: 1_000_000 }))).name;
});
afterAll(async () => {
  await app.close();
  await server.close();
});

/** Every field of a mail that becomes part of a header or an SMTP command. */
const places: readonly (readonly [string, (text: string) => object])[] = [
  ['to', (text) => ({ to: text })],
  ['to, as a name', (text) => ({ to: `${text} <ada@example.org>` })],
  ['cc', (text) => ({ cc: ['bob@example.org', text] })],
  ['bcc', (text) => ({ bcc: text })],
  ['replyTo', (text) => ({ replyTo: text })],
  ['subject', (text) => ({ subject: text })],
  ['fromName', (text) => ({ fromName: text })],
  ['filename', (text) => ({ attachments: [{ filename: text, content: 'x' }] })],
  ['contentType', (text) => ({ attachments: [{ filename: 'a', content: 'x', contentType: text }] })],
];
const base = ['ada@example.org', 'Ada', 'text/plain', ''];
const end = fc.constantFrom('\r\n', '\n', '\r', '\0', '\r\n ', '\n\t', '\u0085', '\u2028');
const more = fc.constantFrom('Bcc: eve@example.org', 'RCPT TO:<eve@example.org>', '.\r\nMAIL FROM:<>', '\r\n<b>', '');

describe('a header', () => {
  it('cannot be ended by any part of a mail: 400, and nothing is sent', async () => {
    const broken = fc.tuple(fc.constantFrom(...places), fc.constantFrom(...base), end, more, fc.boolean());
    await fc.assert(
      fc.asyncProperty(broken, async ([[, place], text, line, then, before]) => {
        const [connections, mails] = [server.connections, server.received.length];
        const { refused } = await mailer.send(
          plain(place(before ? `${line}${then}${text}` : `${text}${line}${then}`)),
          name,
        );
        expect(refused).toMatchObject({ status: 400, code: 'mail-invalid' });
        expect([server.connections, server.received.length]).toEqual([connections, mails]);
      }),
      { numRuns: runs(120) },
    );
  }, 60_000);

  it('may have any accepted text, and the server gets no other recipient or header', async () => {
    const odd = fc.string({
      unit: fc.constantFrom(
        'a',
        'B',
        ' ',
        '"',
        '\\',
        ',',
        ';',
        ':',
        '<',
        '>',
        '@',
        '(',
        ')',
        '=?',
        '?=',
        'é',
        '日',
        '😀',
        '%0a',
        '\t',
      ),
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(odd, odd, odd, async (subject, fromName, filename) => {
        const mail = plain({
          subject: `S${subject}`,
          fromName,
          attachments: [{ filename: `${filename}.txt`, content: 'x' }],
        });
        const before = server.received.length;
        const { sent, refused } = await mailer.send(mail, name);
        if (refused !== undefined) {
          expect(refused.status).toBe(400);
          return;
        }
        expect(server.received.length).toBe(before + 1);
        const { to, from, mail: got } = server.last;
        expect([to, from, got.messageId]).toEqual([['ada@example.org'], 'robot@example.com', sent.messageId]);
        expect(got.from?.value.map(({ address }) => address)).toEqual(['robot@example.com']);
        expect([...got.headers.keys()].sort()).toEqual(
          ['content-type', 'date', 'from', 'message-id', 'mime-version', 'subject', 'to'].sort(),
        );
        expect(got.attachments).toHaveLength(1);
      }),
      { numRuns: 60 },
    );
  }, 60_000);

  it('is not affected by the text, whose lines remain text', async () => {
    const text = 'a\r\n.\r\nMAIL FROM:<eve@example.org>\r\nRCPT TO:<eve@example.org>\r\nDATA\r\nx\r\n.\r\n';
    const before = server.received.length;
    await mailer.send(plain({ text }), name);
    expect(server.received.length).toBe(before + 1);
    expect(server.last.mail.text).toContain('MAIL FROM:<eve@example.org>');
  });
});
