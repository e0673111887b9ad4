import { Readable } from 'node:stream';
import type { MailAddress } from '../../../kernel/mail/mail-address.js';
import type { MailMessage } from '../../../ports/network/mail.port.js';

/** The mail as sent. Bcc recipients are only in the envelope. */
export async function messageText(message: MailMessage): Promise<Buffer> {
  const { messageId, from, to, cc, replyTo, subject, text, html, attachments, unsubscribeUrl } = message;
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const composer = new MailComposer({
    messageId,
    from: written(from),
    to: to.map(written),
    cc: cc.map(written),
    subject,
    ...(replyTo === undefined ? {} : { replyTo: written(replyTo) }),
    ...(text === undefined ? {} : { text }),
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
  return await composer.compile().build();
}

/** `prepared`: a folded address would be none. */
const unsubscribing = (url: string) => ({
  'List-Unsubscribe': { prepared: true, value: `<${url}>` },
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
});

export function recipientsOf({ to, cc, bcc }: MailMessage): readonly string[] {
  return [...new Set([...to, ...cc, ...bcc].map(({ address }) => address))];
}

const written = ({ address, name = '' }: MailAddress) => ({ address, name });

/** A stream of bytes that records whether reading has begun. */
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
