import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import MimeNode from 'nodemailer/lib/mime-node';
import { runs } from '../../../../test/support/depth.js';
import type { MailMessage } from '../../../ports/network/mail.port.js';
import { messageText } from './message-text.js';

const words = fc.oneof(
  fc.string({ maxLength: 300, unit: 'grapheme' }),
  fc.string({ maxLength: 300, unit: fc.constantFrom(' ', '.', '=', 'a', 'é', '😀', '\n', '\r\n', '\t') }),
  fc.constant('A line that is longer than a line of a mail may be. '.repeat(20)),
);
const attachment = fc.record(
  {
    filename: fc.constantFrom('a.txt', 'a.bin', 'ü "quoted".pdf', 'forwarded.eml', 'a.csv'),
    content: fc.uint8Array({ maxLength: 400 }),
    contentType: fc.constantFrom('text/plain', 'text/csv; charset=latin1', 'application/pdf'),
  },
  { requiredKeys: ['filename', 'content'] },
);
const mail = fc.record({
  messageId: fc.constant('<key@example.com>'),
  from: fc.constant({ address: 'robot@example.com', name: 'Róbert "the" Robot' }),
  to: fc.constant([{ address: 'ada@example.org' }, { address: 'bob@exämple.org', name: 'Bob' }]),
  cc: fc.constant([]),
  bcc: fc.constant([]),
  replyTo: fc.constantFrom(undefined, { address: 'desk@example.com' }),
  subject: fc.string({ maxLength: 120, unit: 'grapheme' }),
  text: fc.option(words, { nil: undefined }),
  html: fc.option(words, { nil: undefined }),
  attachments: fc.array(attachment, { maxLength: 2 }),
}) satisfies fc.Arbitrary<MailMessage>;

const comparable = (written: Buffer) =>
  written
    .toString('latin1')
    .replaceAll(/_NmP-[0-9a-f]+-/g, '_NmP-')
    .replace(/^Date: .*$/m, 'Date');

describe('the text of a mail', () => {
  it('equals the output of nodemailer', async () => {
    const built = jest.spyOn(MimeNode.prototype, 'buildHeaders');
    await fc.assert(
      fc.asyncProperty(mail, async (message) => {
        built.mockClear();
        const written = await messageText(message);
        const [root] = built.mock.contexts as unknown as readonly MimeNode[];
        expect(comparable(written)).toBe(comparable((await root?.build()) ?? Buffer.alloc(0)));
      }),
      { numRuns: runs(300) },
    );
  });
});
