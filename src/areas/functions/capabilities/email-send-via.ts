import { Injectable } from '@nestjs/common';
import type { Capability } from '../../../ports/sandbox.port.js';
import type { CapabilityMaker, RunScope } from './capability-table.api.js';
import { MailSending, ownLane } from './mail-sending.js';

/** `ctx.email.sendVia(mailboxName, { … })`: sends a mail through the mailbox with this name. */
@Injectable()
export class EmailSendVia implements CapabilityMaker {
  readonly usage =
    "ctx.email.sendVia(mailboxName, mail): the same as ctx.email.send, through the mailbox of this name. Needs the power 'email'.";

  constructor(private readonly sending: MailSending) {}

  make(scope: RunScope): Capability {
    return { name: 'email.sendVia', call: (args) => this.sending.sendVia(scope, ownLane, args) };
  }
}
