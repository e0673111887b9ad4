import { Injectable } from '@nestjs/common';
import type { Json } from '../../../kernel/json.js';
import { type Capability, CapabilityRefused } from '../../../ports/sandbox.port.js';
import { mustHold } from './capability-refusals.js';
import type { CapabilityMaker, RunScope } from './capability-table.api.js';
import { MailSending } from './mail-sending.js';

/** `ctx.email.sendVia(mailboxName, { … })`: sends a mail through the mailbox with this name. */
@Injectable()
export class EmailSendVia implements CapabilityMaker {
  readonly usage =
    "ctx.email.sendVia(mailboxName, mail): the same as ctx.email.send, through the mailbox of this name. Needs the power 'email'.";

  constructor(private readonly sending: MailSending) {}

  make(scope: RunScope): Capability {
    return { name: 'email.sendVia', call: (args) => this.send(scope, args) };
  }

  private async send(scope: RunScope, [mailbox, mail]: readonly Json[]): Promise<Json> {
    mustHold(scope, 'email', 'ctx.email');
    if (typeof mailbox !== 'string')
      throw new CapabilityRefused('ctx.email.sendVia takes the name of a mailbox, and a mail.', 'invalid-input', 400);
    return this.sending.send(scope, mailbox, mail);
  }
}
