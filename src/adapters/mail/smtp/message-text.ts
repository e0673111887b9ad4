import { Readable } from 'node:stream';
import type MimeNode from 'nodemailer/lib/mime-node';
import type { MailAddress } from '../../../kernel/mail/mail-address.js';
import type { MailMessage } from '../../../ports/network/mail.port.js';

/** The message has no Bcc header, so Bcc recipients are only in the envelope. */
export async function messageText(message: MailMessage): Promise<Buffer> {
  const { messageId, from, to, cc, replyTo, subject, html, attachments, unsubscribeUrl } = message;
  const [{ default: MailComposer }, base64, qp] = await Promise.all([
    import('nodemailer/lib/mail-composer'),
    import('nodemailer/lib/base64'),
    import('nodemailer/lib/qp'),
  ]);
  const composer = new MailComposer({
    messageId,
    from: written(from),
    to: to.map(written),
    cc: cc.map(written),
    subject,
    ...(replyTo === undefined ? {} : { replyTo: written(replyTo) }),
    ...(message.text === undefined ? {} : { text: message.text }),
    ...(html === undefined ? {} : { html }),
    attachments: attachments.map(({ filename, content, contentType }) => ({
      filename,
      content: Buffer.from(content),
      ...(contentType === undefined ? {} : { contentType }),
    })),
    ...(unsubscribeUrl === undefined ? {} : { headers: unsubscribing(unsubscribeUrl) }),
    // Attachments are content only: no file is opened and no URL fetched.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const text = Buffer.concat(partsOf(composer.compile(), { base64, qp }));
  return text.at(-1) === lineFeed ? text : Buffer.concat([text, Buffer.from('\r\n')]);
}

const lineFeed = 0x0a;

interface Encodings {
  readonly base64: typeof import('nodemailer/lib/base64');
  readonly qp: typeof import('nodemailer/lib/qp');
}

/** Returns the same bytes as nodemailer's `build`, which uses streams and takes four times as long. */
function partsOf(node: MimeNode, encodings: Encodings): Buffer[] {
  const parts: Buffer[] = [Buffer.from(`${node.buildHeaders()}\r\n\r\n`)];
  const { content, multipart, boundary } = node;
  if (typeof content === 'string' || Buffer.isBuffer(content)) parts.push(encoded(node, content, encodings));
  if (!multipart) return parts;
  for (const [at, child] of node.childNodes.entries()) {
    parts.push(Buffer.from(`${at === 0 ? '' : '\r\n'}--${boundary}\r\n`), ...partsOf(child, encodings));
  }
  return [...parts, Buffer.from(`\r\n--${boundary}--\r\n`)];
}

function encoded(node: MimeNode, content: string | Buffer, { base64, qp }: Encodings): Buffer {
  switch (node.getTransferEncoding()) {
    case 'base64':
      return Buffer.from(base64.wrap(base64.encode(content)), 'latin1');
    case 'quoted-printable':
      return Buffer.from(qp.wrap(qp.encode(content)), 'latin1');
    default:
      return Buffer.from(content);
  }
}

/** `prepared` prevents nodemailer from folding the line, because a folded address would be invalid. */
const unsubscribing = (url: string) => ({
  'List-Unsubscribe': { prepared: true, value: `<${url}>` },
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
});

export function recipientsOf({ to, cc, bcc }: MailMessage): readonly string[] {
  return [...new Set([...to, ...cc, ...bcc].map(({ address }) => address))];
}

const written = ({ address, name = '' }: MailAddress) => ({ address, name });

export class ByteSource extends Readable {
  begun = false;

  constructor(private rest: Buffer) {
    super();
  }

  override _read(): void {
    this.begun = true;
    this.push(this.rest);
    this.push(null);
  }
}
