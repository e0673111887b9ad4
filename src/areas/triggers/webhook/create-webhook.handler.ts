import { CommandHandler } from '@nestjs/cqrs';
import { callOf } from '../../../engine/operation/call.js';
import { StartableTargets } from '../../../engine/scopes/startable-targets.js';
import { Targets } from '../../../engine/scopes/targets.js';
import { targetKindOf } from '../../../kernel/callers/target.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import { functionTarget, missingFunction } from './function-target.js';
import { type NewWebhook, NewWebhooks } from './new-webhooks.js';
import { CreateTargetWebhook, CreateWebhook } from './webhook.operations.js';
import { WebhookSwitch } from './webhook-switch.api.js';

/** The function must exist and be active, and the caller must be allowed to start it. */
@CommandHandler(CreateWebhook)
export class CreateWebhookHandler {
  constructor(
    private readonly targets: Targets,
    private readonly startable: StartableTargets,
    private readonly webhooks: NewWebhooks,
    private readonly siteWebhooks: WebhookSwitch,
  ) {}

  async execute(input: CreateWebhook): Promise<NewWebhook> {
    const call = callOf(input);
    const target = functionTarget(input);
    await this.siteWebhooks.mustBeOn(call.workspaceId, target.kind);
    const fn = (await this.targets.find(call.workspaceId, target)) ?? missingFunction(target);
    await this.startable.check(call, target);
    if (!fn.isActive) return refuse('target-inactive', { name: fn.name });
    return this.webhooks.create(call, target);
  }
}

@CommandHandler(CreateTargetWebhook)
export class CreateTargetWebhookHandler {
  constructor(
    private readonly targets: StartableTargets,
    private readonly webhooks: NewWebhooks,
  ) {}

  async execute(input: CreateTargetWebhook): Promise<NewWebhook> {
    const call = callOf(input);
    const target = { kind: targetKindOf(input.targetKind), ref: input.targetRef };
    const { name, isActive } = await this.targets.require(call, target);
    if (!isActive) return refuse('target-kind-inactive', { kind: target.kind, name });
    return this.webhooks.create(call, target);
  }
}
