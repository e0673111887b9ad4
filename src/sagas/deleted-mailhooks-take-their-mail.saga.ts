import { Injectable } from '@nestjs/common';
import { InboundForgetting } from '../areas/triggers/mailhook/inbound-forgetting.api.js';
import { mailhookAddressName } from '../areas/triggers/mailhook/mailhook.record.js';
import type { Saga } from '../engine/sagas/saga.js';
import type { RecordedEvent } from '../kernel/event/event.js';
import { parseStream } from '../kernel/event/stream-name.js';
import { Vault } from '../ports/vault.port.js';

/** Deletes the address of a deleted mailhook and all the mail it received. */
@Injectable()
export class DeletedMailhooksTakeTheirMail implements Saga {
  readonly name = 'deleted-mailhooks-take-their-mail';
  readonly reads = ['MailhookDeleted'];

  constructor(
    private readonly forgetting: InboundForgetting,
    private readonly vault: Vault,
  ) {}

  async react(event: RecordedEvent): Promise<void> {
    const { workspaceId, id } = parseStream(event.stream);
    await this.vault.destroy(mailhookAddressName(workspaceId, id));
    await this.forgetting.all(workspaceId, id);
  }
}
