import { CommandHandler } from '@nestjs/cqrs';
import { callOf } from '../../../engine/operation/call.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { checkMailAccount, createMailAccount } from './mail-account.js';
import { CreateMailAccount, type MailAccountRecord } from './mail-account.operations.js';
import { mailAccounts } from './mail-account.record.js';
import { MailAccountChanges, reserveName } from './mail-account-changes.api.js';
import { MailAccountSites } from './mail-account-sites.js';
import { MailAccountView } from './mail-account-view.js';
import { MailPasswords } from './mail-passwords.api.js';

/** The password is stored in the vault before the event that refers to it is recorded. */
@CommandHandler(CreateMailAccount)
export class CreateMailAccountHandler {
  constructor(
    private readonly changes: MailAccountChanges,
    private readonly passwords: MailPasswords,
    private readonly sites: MailAccountSites,
    private readonly view: MailAccountView,
  ) {}

  async execute(command: CreateMailAccount): Promise<MailAccountRecord> {
    const call = callOf(command);
    const { workspaceId } = call;
    const { password, ...input } = checkMailAccount(command);
    await this.sites.mustBe(call, input.projectId);
    const id = call.newId('mailbox');
    const passwordId = call.newId('val');
    await this.passwords.draft(workspaceId, passwordId, password);
    try {
      const account = await this.changes.make(call, id, () => createMailAccount(input, passwordId), {
        begins: true,
        reserves: () => [reserveName(input.name, workspaceId, id)],
      });
      return await this.view.one(call, account ?? mailAccounts.missing());
    } catch (error) {
      // A refusal recorded nothing, so discard the draft. After other errors the outcome is unknown; an unused draft
      // expires.
      if (error instanceof Refusal) await this.passwords.discard(workspaceId, passwordId);
      throw error;
    }
  }
}
