import { CommandHandler } from '@nestjs/cqrs';
import { callOf } from '../../../engine/operation/call.js';
import { deleteMailAccount } from './mail-account.js';
import { DeleteMailAccount } from './mail-account.operations.js';
import { MailAccountChanges } from './mail-account-changes.api.js';

/** The password is destroyed after the event is recorded. */
@CommandHandler(DeleteMailAccount)
export class DeleteMailAccountHandler {
  constructor(private readonly changes: MailAccountChanges) {}

  async execute(input: DeleteMailAccount): Promise<{ success: true }> {
    await this.changes.make(callOf(input), input.id, (account) => (account ? deleteMailAccount(account) : []));
    return { success: true };
  }
}
