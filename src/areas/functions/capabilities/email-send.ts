import { Injectable } from '@nestjs/common';
import type { Capability } from '../../../ports/sandbox.port.js';
import type { CapabilityMaker, RunScope } from './capability-table.api.js';
import { MailSending, ownLane } from './mail-sending.js';

/** `ctx.email.send({ to, subject, text, … })`: sends a mail through the default mailbox. */
@Injectable()
export class EmailSend implements CapabilityMaker {
  readonly usage =
    "ctx.email.send({ to, cc?, bcc?, replyTo?, subject, text?, html?, fromName?, attachments? }): sends a mail through the default mailbox; resolves to { messageId, fromNameOverridden }. An address is a text or an array of texts; an attachment is { filename, content, encoding?: 'utf8' | 'base64', contentType? }. Needs the power 'email'.";

  constructor(private readonly sending: MailSending) {}

  make(scope: RunScope): Capability {
    return { name: 'email.send', call: ([mail]) => this.sending.send(scope, ownLane, undefined, mail) };
  }
}
