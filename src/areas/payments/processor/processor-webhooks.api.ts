import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Environment } from '../../../config/environment.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { RecordedSecrets } from '../../../engine/records/recorded-secrets.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { equalInConstantTime } from '../../../kernel/text/same-text.js';
import type { ProcessorMode } from '../../../ports/network/payment-processor.port.js';
import { Vault } from '../../../ports/vault.port.js';
import { refuse } from '../payments.refusals.js';
import { ProcessorAccounts } from './processor-accounts.api.js';
import { registerWebhook } from './processor-connection.js';
import { processorConnections } from './processor-connection.record.js';

export interface FoundWebhook {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly mode: ProcessorMode;
  readonly secret: string;
}

@Injectable()
export class ProcessorWebhooks {
  constructor(
    private readonly accounts: ProcessorAccounts,
    private readonly secrets: RecordedSecrets,
    private readonly vault: Vault,
    private readonly environment: Environment,
  ) {}

  /**
   * Creates a webhook at the processor, seals its secret, records the webhook, and then deletes the previous one. If
   * the process dies before the deletion, the saga that follows the event completes the work.
   * @throws Refusal
   */
  async register(call: OperationContext, projectId: string, mode: ProcessorMode): Promise<void> {
    const { workspaceId } = call;
    const token = call.newToken();
    const url = `${this.environment.baseUrl}/api/app/${projectId}/payments/processor-webhook/${token}`;
    const asked = { workspaceId, projectId, mode };
    const key = `countersign-webhook-${call.commandId}`;
    const made = await this.accounts.request(asked, (processor, account) =>
      processor.registerEndpoint(account, url, key),
    );
    const secretId = call.newId('whs');
    const webhook = { endpointId: made.id, tokenHash: this.hashOf(token), secretId };
    const { events } = await this.secrets.drafting(
      processorConnections,
      call,
      { id: secretId, value: made.secret },
      () =>
        this.secrets.change(call, {
          aggregate: processorConnections,
          id: projectId,
          begins: 'perhaps',
          decide: (before) => registerWebhook(before, projectId, mode, webhook),
        }),
    );
    for (const { type, data } of events) {
      if (type !== 'ProcessorWebhookRegistered' || data.replaces === null) continue;
      const { endpointId } = data.replaces;
      await this.ignoringRefusals(() =>
        this.accounts.request(asked, (processor, account) => processor.removeEndpoint(account, endpointId)),
      );
    }
  }

  /** @throws Refusal processor-webhook-not-found, which is the same for every wrong address */
  async find(workspaceId: string, projectId: string, token: string): Promise<FoundWebhook> {
    const connection = await this.accounts.find(workspaceId, projectId);
    const tokenHash = this.hashOf(token);
    for (const mode of ['test', 'live'] as const) {
      const webhook = connection?.[mode];
      if (!webhook || !equalInConstantTime(webhook.tokenHash, tokenHash)) continue;
      const secret = await this.secrets.open(processorConnections, workspaceId, webhook.secretId);
      if (secret !== undefined) return { workspaceId, projectId, mode, secret };
    }
    return refuse('processor-webhook-not-found');
  }

  /**
   * If the processor refuses to delete a webhook, that is harmless, because the webhook's token is no longer accepted.
   */
  private async ignoringRefusals(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }

  private hashOf(token: string): string {
    return this.vault.derive(`processor-webhook/${hash('sha256', token, 'hex')}`);
  }
}
