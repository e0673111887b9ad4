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
import { MissedOccurrences } from '../schedule/missed-occurrences.api.js';
import { ScheduleListing } from '../schedule/schedule-listing.api.js';
import { VerificationRecord, verificationRecord } from './verification-view.js';
import { type Webhook, webhookTokenName } from './webhook.record.js';
import { withoutExpired } from './webhook-verification.js';

export const verificationField = { type: 'object', shape: () => VerificationRecord, nullable: true } as const;
export const keepInputField = {
  type: 'boolean',
  description: 'Whether inputs are stored so that failed runs can be replayed. Set with setTriggerReplay.',
} as const;

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

/**
 * The schedule trigger of the Automations API with four more fields: `blocked`, `overlap`, `keepInput` and `missed`.
 */
export class ScheduleTrigger {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) cronExpression!: string;
  @Field({ type: 'string' }) timezone!: string;
  @Field({ type: 'boolean' }) isActive!: boolean;
  @Field({ type: 'string', format: 'date-time', nullable: true }) lastTriggered!: string | null;
  @Field({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'null while the schedule or its target is inactive.',
  })
  nextTrigger!: string | null;
  @Field({
    type: 'string',
    nullable: true,
    description: 'Why an active schedule starts nothing. null if it is not blocked.',
  })
  blocked!: string | null;
  @Field({ type: 'string', enum: ['allow', 'skip'] }) overlap!: string;
  @Field(keepInputField) keepInput!: boolean;
  @Field({
    type: 'object',
    shape: () => MissedOccurrences,
    nullable: true,
    description:
      'How many occurrences were missed because no process was running to fire them, and when the last one was.',
  })
  missed!: MissedOccurrences | null;
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
