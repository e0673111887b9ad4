import { CommandHandler } from '@nestjs/cqrs';
import { callOf } from '../../../engine/operation/call.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { checkMailAccount, updateMailAccount } from './mail-account.js';
import { type MailAccountRecord, UpdateMailAccount } from './mail-account.operations.js';
import { mailAccounts } from './mail-account.record.js';
import { MailAccountChanges, reserveName } from './mail-account-changes.api.js';
import { MailAccountSites } from './mail-account-sites.js';
import { MailAccountView } from './mail-account-view.js';
import { MailPasswords } from './mail-passwords.api.js';

/**
 * A new password is stored in the vault before the event that refers to it. The old one is destroyed after the event.
 */
@CommandHandler(UpdateMailAccount)
export class UpdateMailAccountHandler {
  constructor(
    private readonly changes: MailAccountChanges,
    private readonly passwords: MailPasswords,
    private readonly sites: MailAccountSites,
    private readonly view: MailAccountView,
  ) {}

  async execute(command: UpdateMailAccount): Promise<MailAccountRecord> {
    const call = callOf(command);
    const { workspaceId } = call;
    const { id, password, ...input } = checkMailAccount(command);
    await this.sites.mustBe(call, input.projectId);
    const passwordId = password === undefined ? undefined : call.newId('val');
    if (password !== undefined && passwordId !== undefined)
      await this.passwords.draft(workspaceId, passwordId, password);
    try {
      const { name } = input;
      const account = await this.changes.make(
        call,
        id,
        (before) => (before ? updateMailAccount(before, input, passwordId) : []),
        {
          reserves: (before) =>
            name === undefined || name === before?.name ? [] : [reserveName(name, workspaceId, id)],
        },
      );
      return await this.view.one(call, account ?? mailAccounts.missing());
    } catch (error) {
      // A refusal recorded nothing, so discard the draft. After other errors the outcome is unknown; an unused draft
      // expires.
      if (error instanceof Refusal && passwordId !== undefined) await this.passwords.discard(workspaceId, passwordId);
      throw error;
    }
  }
}
