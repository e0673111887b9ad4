import { QueryHandler } from '@nestjs/cqrs';
import { callOf } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Scopes } from '../../../engine/scopes/scopes.js';
import { ListMailAccounts, type MailAccountRecord } from './mail-account.operations.js';
import type { MailAccount } from './mail-account.record.js';
import { MailAccountSites } from './mail-account-sites.js';
import { MailAccountView } from './mail-account-view.js';

@QueryHandler(ListMailAccounts)
export class ListMailAccountsHandler {
  constructor(
    private readonly reads: Reads,
    private readonly sites: MailAccountSites,
    private readonly view: MailAccountView,
    private readonly scopes: Scopes,
  ) {}

  async execute(input: ListMailAccounts): Promise<readonly MailAccountRecord[]> {
    const call = callOf(input);
    const { projectId } = input;
    await this.sites.mustBe(call, projectId);
    const all = await this.reads.find<MailAccount>(call.workspaceId, 'mailAccounts', { sort: [['name', 'asc']] });
    const usable = all.filter(
      (one) => projectId === undefined || one.projectId === null || one.projectId === projectId,
    );
    return this.view.all(call, await this.scopes.allowed(call, usable));
  }
}
