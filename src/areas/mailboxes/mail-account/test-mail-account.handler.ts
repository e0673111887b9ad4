import { CommandHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { callOf } from '../../../engine/operation/call.js';
import { Scopes } from '../../../engine/scopes/scopes.js';
import { Mailboxes } from '../mail/mailboxes.api.js';
import { recordTest } from './mail-account.js';
import { TestMailAccount } from './mail-account.operations.js';
import { mailAccounts } from './mail-account.record.js';

/**
 * Tests the mailbox with its current settings, and records the result for these settings (settled questions Q-A51 and
 * Q-A58).
 */
@CommandHandler(TestMailAccount)
export class TestMailAccountHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly mailboxes: Mailboxes,
    private readonly scopes: Scopes,
  ) {}

  async execute(input: TestMailAccount): Promise<{ ok: boolean; error?: string }> {
    const call = callOf(input);
    const { workspaceId } = call;
    const tested = (await this.runner.find(mailAccounts, workspaceId, input.id)) ?? mailAccounts.missing();
    await this.scopes.admit(call, mailAccounts, tested);
    const error = await this.mailboxes.tryOut(workspaceId, input.id, input.to, { ...call, siteId: tested.projectId });
    await this.runner.change(call, {
      aggregate: mailAccounts,
      id: input.id,
      decide: (account) => (account ? recordTest(account, tested, error) : []),
    });
    return error === null ? { ok: true } : { ok: false, error };
  }
}
