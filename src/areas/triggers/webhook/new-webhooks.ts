import { Injectable } from '@nestjs/common';
import { Environment } from '../../../config/environment.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import type { Target } from '../../../kernel/callers/target.js';
import { Vault } from '../../../ports/vault.port.js';
import { createWebhook } from './webhook.js';
import { webhooks, webhookTokenName, webhookTokenText } from './webhook.record.js';

export interface NewWebhook {
  readonly id: string;
  readonly token: string;
  readonly url: string;
}

/**
 * The URL of a webhook contains a token and is a secret. The token is stored in the vault before the event that refers
 * to it is recorded.
 */
@Injectable()
export class NewWebhooks {
  constructor(
    private readonly runner: CommandRunner,
    private readonly vault: Vault,
    private readonly environment: Environment,
  ) {}

  async create(call: OperationContext, target: Target): Promise<NewWebhook> {
    const id = call.newId('wh');
    const token = call.newToken();
    await this.vault.seal(webhookTokenName(call.workspaceId, id), Buffer.from(token));
    await this.runner.change(call, {
      aggregate: webhooks,
      id,
      begins: true,
      decide: () => createWebhook(target, this.vault.derive(webhookTokenText(token))),
    });
    return { id, token, url: `${this.environment.baseUrl}/api/automations/functions/webhook/${token}` };
  }
}
