import { Injectable } from '@nestjs/common';
import type { Capability } from '../../../ports/sandbox.port.js';
import type { CapabilityMaker, RunScope } from './capability-table.api.js';
import { MailSending, ownLane } from './mail-sending.js';

/** `ctx.email.accounts()`: the mailboxes that this code could send through now. */
@Injectable()
export class EmailAccounts implements CapabilityMaker {
  readonly usage =
    "ctx.email.accounts(): resolves to the mailboxes to send through, [{ name, fromAddress, fromName, isDefault }]. Needs the power 'email'.";

  constructor(private readonly sending: MailSending) {}

  make(scope: RunScope): Capability {
    return { name: 'email.accounts', call: () => this.sending.accounts(scope, ownLane) };
  }
}
