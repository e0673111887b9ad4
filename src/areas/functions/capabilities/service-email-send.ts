import { Injectable } from '@nestjs/common';
import type { Capability } from '../../../ports/sandbox.port.js';
import type { CapabilityMaker, RunScope } from './capability-table.api.js';
import { MailSending, serviceLane } from './mail-sending.js';

/** `ctx.service.email.send({ … })`: sends a mail through the default mailbox of the account. */
@Injectable()
export class ServiceEmailSend implements CapabilityMaker {
  readonly usage =
    "ctx.service.email.send(mail): the same as ctx.email.send, through the account's mailboxes alone. Needs Full data access.";

  constructor(private readonly sending: MailSending) {}

  make(scope: RunScope): Capability {
    return { name: 'service.email.send', call: ([mail]) => this.sending.send(scope, serviceLane, undefined, mail) };
  }
}
