import { Injectable } from '@nestjs/common';
import type { Capability } from '../../../ports/sandbox.port.js';
import type { CapabilityMaker, RunScope } from './capability-table.api.js';
import { MailSending, serviceLane } from './mail-sending.js';

/** `ctx.service.email.sendVia(mailboxName, { … })`: sends a mail through this mailbox of the account. */
@Injectable()
export class ServiceEmailSendVia implements CapabilityMaker {
  readonly usage =
    "ctx.service.email.sendVia(mailboxName, mail): the same through the account's mailbox of this name. Needs Full data access.";

  constructor(private readonly sending: MailSending) {}

  make(scope: RunScope): Capability {
    return { name: 'service.email.sendVia', call: (args) => this.sending.sendVia(scope, serviceLane, args) };
  }
}
