import { CommandHandler } from '@nestjs/cqrs';
import { callOf } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/reads.js';
import { StartableTargets } from '../../../engine/startable-targets.js';
import { Targets } from '../../../engine/targets.js';
import { refuse } from '../../../kernel/refusal.js';
import { targetKindOf } from '../../../kernel/target.js';
import { accountFunctions } from '../../functions/function/function.record.js';
import type { Workspace } from '../../workspace/workspace/workspace.record.js';
import { type NewWebhook, NewWebhooks } from './new-webhooks.js';
import { CreateTargetWebhook, CreateWebhook } from './webhook.operations.js';

/** The function must exist and be active, and the caller must be allowed to start it. */
@CommandHandler(CreateWebhook)
export class CreateWebhookHandler {
  constructor(
    private readonly targets: Targets,
    private readonly startable: StartableTargets,
    private readonly webhooks: NewWebhooks,
    private readonly reads: Reads,
  ) {}

  async execute(input: CreateWebhook): Promise<NewWebhook> {
    const call = callOf(input);
    if (input.kind === 'site') await this.refuseSite(call.workspaceId);
    const target = { kind: 'account_function', ref: input.functionId } as const;
    const fn = await this.targets.find(call.workspaceId, target);
    if (fn === undefined) return accountFunctions.missing();
    await this.startable.check(call, target);
    if (!fn.isActive) return refuse('target-inactive', { name: fn.name });
    return this.webhooks.create(call, target);
  }

  /** There are no site functions yet, so even with the switch on, the id matches none. */
  private async refuseSite(workspaceId: string): Promise<never> {
    const workspace = await this.reads.get<Workspace>(workspaceId, 'workspaces', workspaceId);
    return workspace?.settings.siteFunctionWebhooks ? accountFunctions.missing() : refuse('site-webhooks-off');
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
