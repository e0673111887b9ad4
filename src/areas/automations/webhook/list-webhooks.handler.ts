import { QueryHandler } from '@nestjs/cqrs';
import type { TriggerUse } from '../../../../projections/automations/trigger-use.projection.js';
import { callOf } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/reads.js';
import { Clock } from '../../../ports/clock.port.js';
import { Vault } from '../../../ports/vault.port.js';
import { type AccountFunction, accountFunctions } from '../function/function.events.js';
import { verificationRecord } from './wanted-verification.js';
import { type Webhook, webhookTokenName } from './webhook.events.js';
import { ListAllWebhooks, ListTriggers, type WebhookItem, type WebhookTrigger } from './webhook.operations.js';
import { lasting } from './webhook-verification.js';

/** The one place that shows tokens: it takes them out of the vault. */
@QueryHandler(ListTriggers)
export class ListTriggersHandler {
  constructor(
    private readonly reads: Reads,
    private readonly vault: Vault,
    private readonly clock: Clock,
  ) {}

  async execute(input: ListTriggers): Promise<{ webhooks: readonly WebhookTrigger[]; schedules: readonly object[] }> {
    const { workspaceId } = callOf(input);
    if (input.kind === 'site') return accountFunctions.missing();
    const fn = await this.reads.get<AccountFunction>(workspaceId, 'functions', input.functionId);
    if (fn === undefined) return accountFunctions.missing();
    const found = await this.reads.find<Webhook>(workspaceId, 'webhooks', {
      where: { functionId: fn.id },
      sort: [['createdAt', 'asc']],
    });
    return { webhooks: await Promise.all(found.map((webhook) => this.trigger(webhook))), schedules: [] };
  }

  private async trigger(webhook: Webhook): Promise<WebhookTrigger> {
    const { workspaceId, id, isActive, keepInput } = webhook;
    const token = await this.vault.open(webhookTokenName(workspaceId, id));
    const use = await this.reads.get<TriggerUse>(workspaceId, 'triggerUses', id);
    return {
      id,
      token: Buffer.from(token ?? []).toString(),
      isActive,
      lastTriggered: use?.lastTriggered ?? null,
      verification: verificationRecord(lasting(webhook.verification, this.clock.now())),
      keepInput,
    };
  }
}

@QueryHandler(ListAllWebhooks)
export class ListAllWebhooksHandler {
  constructor(
    private readonly reads: Reads,
    private readonly clock: Clock,
  ) {}

  async execute(input: ListAllWebhooks): Promise<readonly WebhookItem[]> {
    const { workspaceId } = callOf(input);
    const [found, functions, uses] = await Promise.all([
      this.reads.find<Webhook>(workspaceId, 'webhooks', { sort: [['createdAt', 'desc']] }),
      this.reads.find<AccountFunction>(workspaceId, 'functions'),
      this.reads.find<TriggerUse>(workspaceId, 'triggerUses'),
    ]);
    const names = new Map(functions.map(({ id, name }) => [id, name]));
    const used = new Map(uses.map(({ id, lastTriggered }) => [id, lastTriggered]));
    const now = this.clock.now();
    return found.flatMap(({ id, functionId, isActive, createdAt, verification: held, keepInput }) => {
      const targetName = names.get(functionId);
      if (targetName === undefined) return [];
      const lastTriggered = used.get(id) ?? null;
      const target = { siteId: null, siteName: null, targetId: functionId, targetName, triggerId: null };
      const verification = verificationRecord(lasting(held, now));
      return [{ id, lane: 'account_function', ...target, isActive, lastTriggered, createdAt, verification, keepInput }];
    });
  }
}
