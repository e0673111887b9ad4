import { CommandHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { callOf } from '../../../engine/operation/call.js';
import { Vault } from '../../../ports/vault.port.js';
import { deleteWebhook } from './webhook.js';
import { DeleteWebhook } from './webhook.operations.js';
import { type WebhookEvent, webhooks, webhookTokenName } from './webhook.record.js';
import { WebhookSecrets } from './webhook-secrets.api.js';

/**
 * The token and the secrets are destroyed after the event. A delivery in between is answered like one with an unknown
 * token.
 */
@CommandHandler(DeleteWebhook)
export class DeleteWebhookHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly vault: Vault,
    private readonly secrets: WebhookSecrets,
  ) {}

  async execute(input: DeleteWebhook): Promise<{ success: true }> {
    const call = callOf(input);
    let decided: readonly WebhookEvent[] = [];
    await this.runner.change(call, {
      aggregate: webhooks,
      id: input.id,
      decide: (webhook) => {
        decided = webhook ? deleteWebhook(webhook, 'asked') : [];
        return decided;
      },
    });
    for (const event of decided) await this.secrets.follow(call.workspaceId, event);
    await this.vault.destroy(webhookTokenName(call.workspaceId, input.id));
    return { success: true };
  }
}
