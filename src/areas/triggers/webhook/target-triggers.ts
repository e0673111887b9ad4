import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Scopes } from '../../../engine/scopes/scopes.js';
import { StartableTargets } from '../../../engine/scopes/startable-targets.js';
import type { Target } from '../../../kernel/callers/target.js';
import { Field } from '../../../kernel/field/field.js';
import { Clock } from '../../../ports/clock.port.js';
import { Vault } from '../../../ports/vault.port.js';
import type { TriggerUse } from '../../functions/run/run.record.js';
import { keepInputField } from '../keep-input-field.js';
import { ScheduleListing } from '../schedule/schedule-listing.api.js';
import type { ScheduleTrigger } from '../schedule/schedule-trigger.api.js';
import { VerificationRecord, verificationRecord } from './verification-view.js';
import { type Webhook, webhookTokenName } from './webhook.record.js';
import { withoutExpired } from './webhook-verification.js';

export const verificationField = { type: 'object', shape: () => VerificationRecord, nullable: true } as const;

export class WebhookTrigger {
  @Field({ type: 'string' }) id!: string;
  @Field({
    type: 'string',
    nullable: true,
    password: true,
    description: 'Must be kept as secret as a password. null if you may not start the target yourself.',
  })
  token!: string | null;
  @Field({ type: 'boolean' }) isActive!: boolean;
  @Field({ type: 'string', format: 'date-time', nullable: true }) lastTriggered!: string | null;
  @Field(verificationField) verification!: VerificationRecord | null;
  @Field(keepInputField) keepInput!: boolean;
}

interface Triggers {
  readonly webhooks: readonly WebhookTrigger[];
  readonly schedules: readonly ScheduleTrigger[];
}

@Injectable()
export class TargetTriggers {
  constructor(
    private readonly reads: Reads,
    private readonly vault: Vault,
    private readonly startable: StartableTargets,
    private readonly schedules: ScheduleListing,
    private readonly clock: Clock,
    private readonly scopes: Scopes,
  ) {}

  async find(call: OperationContext, { kind, ref }: Target, isActive: boolean): Promise<Triggers> {
    const { workspaceId } = call;
    await this.scopes.allowTarget(call, { kind, ref });
    // A webhook's URL starts the target, so only callers who may start it can see the URL.
    const mayStart = await this.startable.mayStart(call, { kind, ref });
    const found = await this.reads.find<Webhook>(workspaceId, 'webhooks', {
      where: { targetRef: ref, targetKind: kind },
      sort: [['createdAt', 'asc']],
    });
    const [webhooks, schedules] = await Promise.all([
      Promise.all(found.map((webhook) => this.trigger(webhook, mayStart))),
      this.schedules.of(workspaceId, { kind, ref, isActive }),
    ]);
    return { webhooks, schedules };
  }

  private async trigger(webhook: Webhook, showsToken: boolean): Promise<WebhookTrigger> {
    const { workspaceId, id } = webhook;
    const token = showsToken ? Buffer.from((await this.vault.open(webhookTokenName(workspaceId, id))) ?? []) : null;
    const use = await this.reads.get<TriggerUse>(workspaceId, 'triggerUses', id);
    return {
      ...webhook,
      token: token?.toString() ?? null,
      lastTriggered: use?.lastTriggered ?? null,
      verification: verificationRecord(withoutExpired(webhook.verification, this.clock.now())),
    };
  }
}
