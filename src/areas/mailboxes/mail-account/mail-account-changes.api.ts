import { Injectable } from '@nestjs/common';
import { type Change, CommandRunner } from '../../../engine/commands/command-runner.js';
import type { Call } from '../../../engine/operation/call.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import { mailAccountName } from './mail-account.js';
import { type MailAccount, type MailAccountEvent, mailAccounts } from './mail-account.record.js';
import { followForDefault, type Happened } from './mail-default.js';
import { mailDefaults } from './mail-default.record.js';
import { MailPasswords } from './mail-passwords.api.js';

/**
 * Records a change of a mailbox and then updates the vault and the default accordingly. If the process dies in between,
 * the sagas that follow the event do the rest.
 */
@Injectable()
export class MailAccountChanges {
  constructor(
    private readonly runner: CommandRunner,
    private readonly passwords: MailPasswords,
  ) {}

  async make(
    call: Call,
    id: string,
    decide: (account: MailAccount | undefined) => readonly MailAccountEvent[],
    more: Pick<Change<MailAccount | undefined, MailAccountEvent>, 'begins' | 'reserves'> = {},
  ): Promise<MailAccount | undefined> {
    let decided: readonly MailAccountEvent[] = [];
    const account = await this.runner.change<MailAccount | undefined, MailAccountEvent>(call, {
      aggregate: mailAccounts,
      id,
      ...more,
      decide: (before) => {
        decided = decide(before);
        return decided;
      },
    });
    for (const event of decided) {
      await this.passwords.follow(call.workspaceId, event);
      await this.followForDefault(call, { mailAccountId: id, event, askedAt: call.at, late: false });
    }
    return account;
  }

  async followForDefault(call: Call, happened: Happened): Promise<void> {
    await this.runner.change(call, {
      aggregate: mailDefaults,
      id: call.workspaceId,
      decide: (now) => followForDefault(now, happened),
    });
  }
}

export function reserveName(name: string, workspaceId: string, id: string) {
  const reservation = mailAccountName(name, streamOf(mailAccounts.category, workspaceId, id));
  return { reservation, taken: () => refuse('mail-account-name-taken', { name }) };
}
