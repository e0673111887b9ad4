import { Injectable } from '@nestjs/common';
import { AggregateLoader } from '../../../engine/commands/aggregate-loader.js';
import type { Change } from '../../../engine/commands/change.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { RecordedSecrets } from '../../../engine/records/recorded-secrets.js';
import type { Recorded, RecordedEvent } from '../../../kernel/event/event.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
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
    private readonly loader: AggregateLoader,
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
      await this.follow(call, { mailAccountId: id, event, askedAt: call.at, late: false });
    }
    return state;
  }

  /**
   * Updates the default mailbox unless a call has chosen one since the event was recorded. It does not matter whether
   * that call began before or after the event, or recorded it.
   */
  async followLate(call: OperationContext, mailAccountId: string, event: Recorded<MailAccountEvent>): Promise<void> {
    const stream = streamOf(mailDefaults.category, call.workspaceId, call.workspaceId);
    const isByCall = ({ position, metadata }: RecordedEvent) =>
      position > event.position && metadata.actor.kind !== 'system';
    if (await this.loader.holds(stream, isByCall, event.position)) return;
    await this.follow(call, { mailAccountId, event, askedAt: event.metadata.at, late: true });
  }

  private async follow(call: OperationContext, happened: MailboxEvent): Promise<void> {
    await this.runner.change(call, {
      aggregate: mailDefaults,
      id: call.workspaceId,
      decide: (now) => followForDefault(now, happened),
    });
  }
}
