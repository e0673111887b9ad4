import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Scopes } from '../../../engine/scopes/scopes.js';
import { type KnownTarget, Targets } from '../../../engine/scopes/targets.js';
import { Field } from '../../../kernel/field/field.js';
import { Clock } from '../../../ports/clock.port.js';
import type { TriggerUse } from '../../functions/run/run.record.js';
import { Sites } from '../../sites/project/sites.api.js';
import { keepInputField } from '../keep-input-field.js';
import { verificationField } from './target-triggers.js';
import { type VerificationRecord, verificationRecord } from './verification-view.js';
import { type Webhook, webhookTarget } from './webhook.record.js';
import { withoutExpired } from './webhook-verification.js';

export class WebhookItem {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string', enum: ['flow', 'specialist', 'account_function', 'site_function'] }) lane!: string;
  @Field({ type: 'string', nullable: true }) siteId!: string | null;
  @Field({ type: 'string', nullable: true }) siteName!: string | null;
  @Field({ type: 'string' }) targetId!: string;
  @Field({ type: 'string' }) targetName!: string;
  @Field({ type: 'string', nullable: true }) triggerId!: string | null;
  @Field({ type: 'boolean' }) isActive!: boolean;
  @Field({ type: 'string', format: 'date-time', nullable: true }) lastTriggered!: string | null;
  @Field({ type: 'string', format: 'date-time' }) createdAt!: string;
  @Field(verificationField) verification!: VerificationRecord | null;
  @Field(keepInputField) keepInput!: boolean;
}

@Injectable()
export class WebhookList {
  constructor(
    private readonly reads: Reads,
    private readonly targets: Targets,
    private readonly sites: Sites,
    private readonly clock: Clock,
    private readonly scopes: Scopes,
  ) {}

  /** Newest first. Webhooks whose targets do not exist are omitted. */
  async find(call: OperationContext): Promise<readonly WebhookItem[]> {
    const { workspaceId } = call;
    const [all, uses] = await Promise.all([
      this.reads.find<Webhook>(workspaceId, 'webhooks', { sort: [['createdAt', 'desc']] }),
      this.reads.find<TriggerUse>(workspaceId, 'triggerUses'),
    ]);
    const found = await this.scopes.allowed(call, all);
    const targets = await this.targetsOf(workspaceId, found);
    const names = await this.siteNames(workspaceId, [...targets.values()]);
    const used = new Map(uses.map(({ id, lastTriggered }) => [id, lastTriggered]));
    const now = this.clock.now();
    return found.flatMap((webhook) => {
      const { id, targetKind: lane, targetRef: targetId, isActive, createdAt, keepInput } = webhook;
      const known = targets.get(targetId);
      if (known === undefined) return [];
      const { name: targetName, projectId: siteId = null } = known;
      const lastTriggered = used.get(id) ?? null;
      const siteName = siteId === null ? null : (names.get(siteId) ?? null);
      const target = { lane, siteId, siteName, targetId, targetName, triggerId: null };
      const verification = verificationRecord(withoutExpired(webhook.verification, now));
      return [{ id, ...target, isActive, lastTriggered, createdAt, verification, keepInput }];
    });
  }

  private async siteNames(
    workspaceId: string,
    targets: readonly KnownTarget[],
  ): Promise<ReadonlyMap<string, string | undefined>> {
    const ids = new Set(targets.flatMap(({ projectId }) => projectId ?? []));
    const names = [...ids].map(async (id) => [id, await this.sites.nameOf(workspaceId, id)] as const);
    return new Map(await Promise.all(names));
  }

  private async targetsOf(workspaceId: string, found: readonly Webhook[]): Promise<ReadonlyMap<string, KnownTarget>> {
    const targets = new Map(found.map((webhook) => [webhook.targetRef, webhookTarget(webhook)]));
    const known = await Promise.all(
      [...targets.values()].map(async (target) => ({ target, is: await this.targets.find(workspaceId, target) })),
    );
    return new Map(known.flatMap(({ target, is }) => (is === undefined ? [] : [[target.ref, is] as const])));
  }
}
