import { Injectable } from '@nestjs/common';
import { QueryHandler } from '@nestjs/cqrs';
import { type Call, callOf } from '../../../engine/operation/call.js';
import { shown } from '../../../engine/operation/shown.js';
import { showsAs } from '../../../engine/records/record-views.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Scopes } from '../../../engine/scopes/scopes.js';
import { StartableTargets } from '../../../engine/scopes/startable-targets.js';
import { type KnownTarget, Targets } from '../../../engine/scopes/targets.js';
import { type Target, targetKindOf } from '../../../kernel/callers/target.js';
import { Clock } from '../../../ports/clock.port.js';
import { Vault } from '../../../ports/vault.port.js';
import type { TriggerUse } from '../../functions/run/run.record.js';
import { Sites } from '../../sites/project/sites.api.js';
import { ScheduleListing } from '../schedule/schedule-listing.api.js';
import { functionTarget, missingFunction } from './function-target.js';
import { verificationRecord } from './wanted-verification.js';
import {
  ListAllWebhooks,
  ListTargetTriggers,
  ListTriggers,
  type ScheduleTrigger,
  type WebhookItem,
  WebhookTrigger,
} from './webhook.operations.js';
import { targetOf, type Webhook, webhooks, webhookTokenName } from './webhook.record.js';
import { lasting } from './webhook-verification.js';

interface Triggers {
  readonly webhooks: readonly WebhookTrigger[];
  readonly schedules: readonly ScheduleTrigger[];
}

/** Without its token, which the vault has. */
showsAs(webhooks, ({ workspaceId: _, tokenHash: __, verification, ...webhook }) => ({
  ...webhook,
  verification: verificationRecord(verification),
}));

/** The triggers of one target, with their tokens, which are read from the vault. */
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

  async of(call: Call, { kind, ref }: Target, isActive: boolean): Promise<Triggers> {
    const { workspaceId } = call;
    await this.scopes.allowTarget(call, { kind, ref });
    // A webhook's link starts the target, so it is shown only to callers who may do that themselves.
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
    return shown(WebhookTrigger, {
      ...webhook,
      token: token?.toString() ?? null,
      lastTriggered: use?.lastTriggered ?? null,
      verification: verificationRecord(lasting(webhook.verification, this.clock.now())),
    });
  }
}

@QueryHandler(ListTriggers)
export class ListTriggersHandler {
  constructor(
    private readonly targets: Targets,
    private readonly triggers: TargetTriggers,
  ) {}

  async execute(input: ListTriggers): Promise<Triggers> {
    const call = callOf(input);
    const target = functionTarget(input);
    const { isActive } = (await this.targets.find(call.workspaceId, target)) ?? missingFunction(target);
    const triggers = await this.triggers.of(call, target, isActive);
    // The schedules of a site's function are in site/listSchedules (settled question Q-A41).
    return input.kind === 'site' ? { ...triggers, schedules: [] } : triggers;
  }
}

@QueryHandler(ListTargetTriggers)
export class ListTargetTriggersHandler {
  constructor(
    private readonly targets: Targets,
    private readonly triggers: TargetTriggers,
  ) {}

  async execute(input: ListTargetTriggers): Promise<Triggers> {
    const call = callOf(input);
    const target = { kind: targetKindOf(input.targetKind), ref: input.targetRef };
    const { isActive } = await this.targets.require(call.workspaceId, target);
    return this.triggers.of(call, target, isActive);
  }
}

@QueryHandler(ListAllWebhooks)
export class ListAllWebhooksHandler {
  constructor(
    private readonly reads: Reads,
    private readonly targets: Targets,
    private readonly sites: Sites,
    private readonly clock: Clock,
    private readonly scopes: Scopes,
  ) {}

  async execute(input: ListAllWebhooks): Promise<readonly WebhookItem[]> {
    const call = callOf(input);
    const { workspaceId } = call;
    const [all, uses] = await Promise.all([
      this.reads.find<Webhook>(workspaceId, 'webhooks', { sort: [['createdAt', 'desc']] }),
      this.reads.find<TriggerUse>(workspaceId, 'triggerUses'),
    ]);
    const found = await this.scopes.allowed(call, all);
    const targets = await this.targetsOf(workspaceId, found);
    const siteNames = await this.siteNames(workspaceId, [...targets.values()]);
    const used = new Map(uses.map(({ id, lastTriggered }) => [id, lastTriggered]));
    const now = this.clock.now();
    return found.flatMap((webhook) => {
      const { id, targetKind: lane, targetRef: targetId, isActive, createdAt, keepInput } = webhook;
      const known = targets.get(targetId);
      if (known === undefined) return [];
      const { name: targetName, projectId: siteId = null } = known;
      const lastTriggered = used.get(id) ?? null;
      const siteName = siteId === null ? null : (siteNames.get(siteId) ?? null);
      const target = { lane, siteId, siteName, targetId, targetName, triggerId: null };
      const verification = verificationRecord(lasting(webhook.verification, now));
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

  /** By id. Deleted targets are left out. */
  private async targetsOf(workspaceId: string, found: readonly Webhook[]): Promise<ReadonlyMap<string, KnownTarget>> {
    const targets = new Map(found.map((webhook) => [webhook.targetRef, targetOf(webhook)]));
    const known = await Promise.all(
      [...targets.values()].map(async (target) => ({ target, is: await this.targets.find(workspaceId, target) })),
    );
    return new Map(known.flatMap(({ target, is }) => (is === undefined ? [] : [[target.ref, is] as const])));
  }
}
