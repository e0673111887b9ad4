import { CommandHandler } from '@nestjs/cqrs';
import { callOf } from '../../../engine/operation/call.js';
import { RecordedSecrets } from '../../../engine/records/recorded-secrets.js';
import { Vault } from '../../../ports/vault.port.js';
import { deleteWebhook } from './webhook.js';
import { DeleteWebhook } from './webhook.operations.js';
import { webhooks, webhookTokenName } from './webhook.record.js';

/**
 * The token and the secrets are destroyed after the event. A delivery in between is answered like one with an unknown
 * token.
 */
@CommandHandler(DeleteWebhook)
export class DeleteWebhookHandler {
  constructor(
    private readonly vault: Vault,
    private readonly secrets: RecordedSecrets,
  ) {}

  async execute(input: DeleteWebhook): Promise<{ success: true }> {
    const call = callOf(input);
    await this.secrets.change(call, {
      aggregate: webhooks,
      id: input.id,
      decide: (webhook) => (webhook ? deleteWebhook(webhook, 'asked') : []),
    });
    await this.vault.destroy(webhookTokenName(call.workspaceId, input.id));
    return { success: true };
  }
}
