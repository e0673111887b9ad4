import { Injectable } from '@nestjs/common';
import type { Capability } from '../../../ports/sandbox.port.js';
import type { CapabilityMaker, RunScope } from './capability-table.api.js';
import { MailSending, serviceLane } from './mail-sending.js';

/** `ctx.service.email.accounts()`: the mailboxes of the account. */
@Injectable()
export class ServiceEmailAccounts implements CapabilityMaker {
  readonly usage =
    "ctx.service.email.accounts(): resolves to the account's mailboxes, which are of no site. Needs Full data access.";

  constructor(private readonly sending: MailSending) {}

  make(scope: RunScope): Capability {
    return { name: 'service.email.accounts', call: () => this.sending.accounts(scope, serviceLane) };
  }
}
