// Second tier.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ChildProcessMailParser } from '../../../src/adapters/mail-parser/child-process/child-process-mail-parser.adapter.js';
import { MailUnparsable } from '../../../src/ports/offloaded/mail-parser.port.js';
import {
  deepGroup,
  mailOf,
  mailWith,
  manyAttachments,
  manyHeaders,
  nested,
  ordinary,
} from '../../support/mail/mails.js';

let parser: ChildProcessMailParser;
beforeAll(() => {
  parser = new ChildProcessMailParser();
});
afterAll(() => parser.close());

const parse = (raw: Buffer, workspaceId = 'ws_1') => parser.parse({ workspaceId, raw });
const why = (raw: Buffer) =>
  parse(raw).then(
    () => 'parsed',
    (error: unknown) => (error instanceof MailUnparsable ? error.message : String(error)),
  );

/** Needs a build, because the parser runs in a child process. */
describe('the parser of mails', () => {
  it('returns the content of a mail', async () => {
    const files = [{ name: 'plan.pdf', type: 'application/pdf', bytes: Buffer.from('%PDF-1.7') }];
    const mail = await parse(
      mailWith(files, [
        'Cc: "Bob, B." <bob@example.com>, team: c@example.com, d@example.com;',
        'Message-ID: <1@example.com>',
      ]),
    );
    expect(mail).toMatchObject({
      messageId: '<1@example.com>',
      from: { name: 'Ada', address: 'ada@example.com' },
      to: [{ name: '', address: 'orders@example.org' }],
      cc: [
        { name: 'Bob, B.', address: 'bob@example.com' },
        { name: '', address: 'c@example.com' },
        { name: '', address: 'd@example.com' },
      ],
      subject: 'An order',
      truncated: false,
      attachments: [{ name: 'plan.pdf', contentType: 'application/pdf', size: 8 }],
    });
    expect(mail.text).toContain('Two boxes, please. ✓');
    // The HTML is not sanitised here.
    expect(mail.html).toContain('<p onclick="x()">Two boxes</p><script>alert(1)</script>');
    expect(mail.headers).toContainEqual(['mime-version', ['1.0']]);
  });

  it('makes a text from a mail that has only HTML', async () => {
    const mail = await parse(mailOf(ordinary(['Content-Type: text/html']), '<h1>Hi</h1><p>there</p>\r\n'));
    expect(mail.text?.toLowerCase()).toContain('hi');
    expect(mail.html).toContain('<h1>Hi</h1>');
  });

  it('returns an attachment by its index', async () => {
    const bytes = Buffer.from(Array.from({ length: 5_000 }, (_, at) => at % 256));
    const raw = mailWith([{ name: 'a.bin', type: 'application/octet-stream', bytes }]);
    expect(Buffer.from((await parser.attachment({ workspaceId: 'ws_1', raw }, 0)) ?? []).equals(bytes)).toBe(true);
    expect(await parser.attachment({ workspaceId: 'ws_1', raw }, 1)).toBeUndefined();
  });

  it('treats names of headers only as names', async () => {
    const mail = await parse(
      mailOf(
        ordinary(['__proto__: polluted', 'constructor: x', 'List-__proto__: <mailto:a@b>', 'X-Twice: 1', 'X-Twice: 2']),
      ),
    );
    expect(mail.headers).toContainEqual(['__proto__', ['polluted']]);
    expect(mail.headers).toContainEqual(['x-twice', ['1', '2']]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it.each([
    ['an unknown charset', mailOf(ordinary(['Content-Type: text/plain; charset=klingon-8']), 'caf\xe9\r\n')],
    ['a subject in a broken charset', mailOf(['From: a@b.c', 'Subject: =?utf-8?B?////?= =?nope?Q?x?='])],
    [
      'bytes that are no UTF-8',
      Buffer.concat([mailOf(ordinary(['Content-Type: text/plain; charset=utf-8'])), Buffer.of(0xff, 0xfe, 0xc3)]),
    ],
    ['null bytes', mailOf(ordinary(['X-Null: a\0b']), 'a\0b\r\n')],
    ['no header at all', Buffer.from('hello')],
    ['nothing', Buffer.alloc(0)],
    ['a boundary that never comes', mailOf(ordinary(['Content-Type: multipart/mixed; boundary=never']))],
    [
      'half a base64 attachment',
      mailOf(ordinary(['Content-Type: application/pdf', 'Content-Transfer-Encoding: base64']), 'AAA$$$\r\n'),
    ],
    ['a date of no calendar', mailOf(ordinary(['Date: yesterday-ish']))],
  ])('parses %s', async (_, raw) => {
    expect(await why(raw)).toBe('parsed');
  });

  it.each([
    ['10,000 headers', manyHeaders(10_000), 'It has more than 1000 headers.'],
    [
      'a header of 100 KB',
      mailOf(ordinary([`X-Long: ${'x'.repeat(100_000)}`])),
      'One of its headers is longer than 65536 bytes.',
    ],
    ['parts 100 deep', nested(100), 'Its parts nest deeper than 20 levels.'],
    ['1,200 attachments', manyAttachments(1_200), 'It has more than 250 parts.'],
  ])('reports why it does not parse %s', async (_, raw, sentence) => {
    expect(await why(raw)).toBe(`The mail could not be parsed: ${sentence}`);
  });

  it('survives address groups nested 2,000 and 30,000 deep', async () => {
    for (const depth of [2_000, 30_000]) expect(await why(deepGroup(depth))).toMatch(/^(parsed|The mail could not)/);
    expect(await why(mailOf(ordinary()))).toBe('parsed');
  });

  it('aborts parsing that takes too long, and parses the next mail', async () => {
    const hasty = new ChildProcessMailParser({ timeMs: 1, memoryBytes: 512 * 1024 * 1024 });
    const big = mailWith([{ name: 'a', type: 'a/b', bytes: Buffer.alloc(5_000_000) }]);
    await expect(hasty.parse({ workspaceId: 'ws_1', raw: big })).rejects.toThrow(
      'Parsing it took more than 0.001 seconds.',
    );
    await hasty.close();
  });

  it('aborts parsing that needs too much memory', async () => {
    const narrow = new ChildProcessMailParser({ timeMs: 10_000, memoryBytes: 90_000_000 });
    const raw = mailWith([{ name: 'a', type: 'a/b', bytes: Buffer.alloc(18_000_000) }]);
    await expect(narrow.parse({ workspaceId: 'ws_1', raw })).rejects.toThrow('MB of memory');
    await narrow.close();
  });

  it('returns the whole of a mail of 25 MB', async () => {
    const bytes = Buffer.alloc(18_000_000, 7);
    const mail = await parse(mailWith([{ name: 'big.bin', type: 'application/octet-stream', bytes }]));
    expect(mail.attachments).toEqual([{ name: 'big.bin', contentType: 'application/octet-stream', size: 18_000_000 }]);
  });

  it('serves other workspaces while one has a queue', async () => {
    const order: string[] = [];
    const told = (who: string) => parse(mailOf(ordinary()), who).then(() => order.push(who));
    // Starts both processes first.
    await Promise.all([parse(mailOf(ordinary()), 'a'), parse(mailOf(ordinary()), 'b')]);
    await Promise.all([...Array.from({ length: 20 }, () => told('busy')), told('calm')]);
    expect(order.indexOf('calm')).toBeLessThan(20);
  });

  it('rejects calls after it is closed', async () => {
    const closed = new ChildProcessMailParser();
    await closed.close();
    await expect(closed.parse({ workspaceId: 'ws_1', raw: Buffer.of(1) })).rejects.toThrow('the service is stopping');
  });
});
