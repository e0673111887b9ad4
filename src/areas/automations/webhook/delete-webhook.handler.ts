import { CommandHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../../../engine/command-runner.js';
import { callOf } from '../../../engine/operation/call.js';
import { Vault } from '../../../ports/vault.port.js';
import { webhooks, webhookTokenName } from './webhook.events.js';
import { deleteWebhook } from './webhook.js';
import { DeleteWebhook } from './webhook.operations.js';

/** The token goes after the event: whoever calls in between is answered as for any unknown token. */
@CommandHandler(DeleteWebhook)
export class DeleteWebhookHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly vault: Vault,
  ) {}

  async execute(input: DeleteWebhook): Promise<{ success: true }> {
    const call = callOf(input);
    await this.runner.change(call, { aggregate: webhooks, id: input.id, decide: () => deleteWebhook('asked') });
    await this.vault.destroy(webhookTokenName(call.workspaceId, input.id));
    return { success: true };
  }
}
