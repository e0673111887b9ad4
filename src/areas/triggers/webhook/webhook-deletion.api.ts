import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/command-runner.js';
import type { Call } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/reads.js';
import { Vault } from '../../../ports/vault.port.js';
import { deleteWebhook } from './webhook.js';
import { type Webhook, webhooks, webhookTokenName } from './webhook.record.js';

/** Deletes webhooks together with their tokens. */
@Injectable()
export class WebhookDeletion {
  constructor(
    private readonly reads: Reads,
    private readonly runner: CommandRunner,
    private readonly vault: Vault,
  ) {}

  /** Deletes the webhooks of a deleted target. `callFor` gives the call for each id. May be repeated. */
  async ofTarget(
    workspaceId: string,
    targetRef: string,
    reason: 'function-deleted' | 'target-gone',
    callFor: (id: string) => Call,
  ): Promise<void> {
    for (const { id } of await this.reads.find<Webhook>(workspaceId, 'webhooks', { where: { targetRef } })) {
      // First, because a webhook that is deleted is not found when this is repeated.
      await this.vault.destroy(webhookTokenName(workspaceId, id));
      await this.runner.change(callFor(id), {
        aggregate: webhooks,
        id,
        decide: (webhook) => (webhook ? deleteWebhook(webhook, reason) : []),
      });
    }
  }
}
