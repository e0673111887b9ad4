import { CommandHandler } from '@nestjs/cqrs';
import { callOf } from '../../../engine/operation/call.js';
import { RecordedSecrets } from '../../../engine/records/recorded-secrets.js';
import { checkMailAccount, createMailAccount } from './mail-account.js';
import { CreateMailAccount, type MailAccountRecord } from './mail-account.operations.js';
import { mailAccounts } from './mail-account.record.js';
import { MailAccountChanges, reserveName } from './mail-account-changes.api.js';
import { MailAccountSites } from './mail-account-sites.js';
import { MailAccountView } from './mail-account-view.js';

/** The password is stored in the vault before the event that refers to it is recorded. */
@CommandHandler(CreateMailAccount)
export class CreateMailAccountHandler {
  constructor(
    private readonly changes: MailAccountChanges,
    private readonly secrets: RecordedSecrets,
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
    return this.secrets.drafting(mailAccounts, call, { id: passwordId, value: password }, async () => {
      const account = await this.changes.make(call, id, () => createMailAccount(input, passwordId), {
        begins: true,
        reserves: () => [reserveName(input.name, workspaceId, id)],
      });
      return this.view.one(call, account ?? mailAccounts.missing());
    });
  }
}
