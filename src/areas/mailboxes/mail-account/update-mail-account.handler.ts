import { CommandHandler } from '@nestjs/cqrs';
import { type Call, callOf } from '../../../engine/operation/call.js';
import { RecordedSecrets } from '../../../engine/records/recorded-secrets.js';
import { checkMailAccount, type MailAccountInput, updateMailAccount } from './mail-account.js';
import { type MailAccountRecord, UpdateMailAccount } from './mail-account.operations.js';
import { mailAccounts } from './mail-account.record.js';
import { MailAccountChanges, reserveName } from './mail-account-changes.api.js';
import { MailAccountSites } from './mail-account-sites.js';
import { MailAccountView } from './mail-account-view.js';

/**
 * A new password is stored in the vault before the event that refers to it. The old one is destroyed after the event.
 */
@CommandHandler(UpdateMailAccount)
export class UpdateMailAccountHandler {
  constructor(
    private readonly changes: MailAccountChanges,
    private readonly secrets: RecordedSecrets,
    private readonly sites: MailAccountSites,
    private readonly view: MailAccountView,
  ) {}

  async execute(command: UpdateMailAccount): Promise<MailAccountRecord> {
    const call = callOf(command);
    const { id, password, ...input } = checkMailAccount(command);
    await this.sites.mustBe(call, input.projectId);
    if (password === undefined) return this.change(call, id, input);
    const passwordId = call.newId('val');
    return this.secrets.drafting(mailAccounts, call, { id: passwordId, value: password }, () =>
      this.change(call, id, input, passwordId),
    );
  }

  private async change(
    call: Call,
    id: string,
    input: MailAccountInput,
    passwordId?: string,
  ): Promise<MailAccountRecord> {
    const { name } = input;
    const account = await this.changes.make(
      call,
      id,
      (before) => (before ? updateMailAccount(before, input, passwordId) : []),
      {
        reserves: (before) =>
          name === undefined || name === before?.name ? [] : [reserveName(name, call.workspaceId, id)],
      },
    );
    return this.view.one(call, account ?? mailAccounts.missing());
  }
}
