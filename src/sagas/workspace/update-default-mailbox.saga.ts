import { Injectable } from '@nestjs/common';
import type { MailAccountEvent } from '../../areas/mailboxes/mail-account/mail-account.record.js';
import { MailAccountChanges } from '../../areas/mailboxes/mail-account/mail-account-changes.api.js';
import type { OperationContext } from '../../engine/operation/operation-context.js';
import type { Saga } from '../../engine/sagas/saga.js';
import type { Recorded, RecordedEvent } from '../../kernel/event/event.js';
import { parseStream } from '../../kernel/event/stream-name.js';

/**
 * Updates the default mailbox if the call that recorded a change of a mailbox was interrupted before it could do so.
 */
@Injectable()
export class UpdateDefaultMailbox implements Saga {
  readonly name = 'the-default-mailbox-follows-mailboxes';
  readonly reads = ['MailAccountCreated', 'MailAccountChanged', 'MailAccountDeleted'];

  constructor(private readonly changes: MailAccountChanges) {}

  async react(event: RecordedEvent, call: (step: string) => OperationContext): Promise<void> {
    const { id } = parseStream(event.stream);
    await this.changes.followLate(call('default'), id, event as RecordedEvent & Recorded<MailAccountEvent>);
  }
}
