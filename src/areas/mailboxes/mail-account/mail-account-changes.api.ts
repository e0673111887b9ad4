import { Injectable } from '@nestjs/common';
import type { Change } from '../../../engine/commands/change.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { RecordedSecrets } from '../../../engine/records/recorded-secrets.js';
import { type MailAccount, type MailAccountEvent, mailAccounts } from './mail-account.record.js';
import { followForDefault, type MailboxEvent } from './mail-default.js';
import { mailDefaults } from './mail-default.record.js';

/**
 * Records a change of a mailbox and then updates the vault and the default mailbox. If the process dies in between, the
 * sagas that follow the event complete the work.
 */
@Injectable()
export class MailAccountChanges {
  constructor(
    private readonly runner: CommandRunner,
    private readonly secrets: RecordedSecrets,
  ) {}

  async apply(
    call: OperationContext,
    id: string,
    decide: (account: MailAccount | undefined) => readonly MailAccountEvent[],
    more: Pick<Change<MailAccount | undefined, MailAccountEvent>, 'begins' | 'reserves'> = {},
  ): Promise<MailAccount | undefined> {
    const { state, events } = await this.secrets.change(call, {
      aggregate: mailAccounts,
      id,
      ...more,
      decide,
    });
    for (const event of events) {
      await this.followForDefault(call, { mailAccountId: id, event, askedAt: call.at, late: false });
    }
    return state;
  }

  async followForDefault(call: OperationContext, happened: MailboxEvent): Promise<void> {
    await this.runner.change(call, {
      aggregate: mailDefaults,
      id: call.workspaceId,
      decide: (now) => followForDefault(now, happened),
    });
  }
}
