import { Injectable } from '@nestjs/common';
import type { Json } from '../../../kernel/json.js';
import type { Capability } from '../../../ports/sandbox.port.js';
import { Mailboxes } from '../../mailboxes/mail/mailboxes.api.js';
import { mustHold } from './capability-refusals.js';
import type { CapabilityMaker, RunScope } from './capability-table.api.js';
import { siteOf } from './mail-sending.js';

/** `ctx.email.accounts()`: the mailboxes that this code could send through now. */
@Injectable()
export class EmailAccounts implements CapabilityMaker {
  readonly usage =
    "ctx.email.accounts(): resolves to the mailboxes to send through, [{ name, fromAddress, fromName, isDefault }]. Needs the power 'email'.";

  constructor(private readonly mailboxes: Mailboxes) {}

  make(scope: RunScope): Capability {
    return { name: 'email.accounts', call: () => this.accounts(scope) };
  }

  private async accounts(scope: RunScope): Promise<Json> {
    mustHold(scope, 'email', 'ctx.email');
    const usable = await this.mailboxes.usable(scope.request.workspaceId, siteOf(scope));
    return (await scope.secrets.hiding.json(usable.map((mailbox) => ({ ...mailbox })))).value;
  }
}
