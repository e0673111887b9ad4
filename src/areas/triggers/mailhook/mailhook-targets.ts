import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Scopes } from '../../../engine/scopes/scopes.js';
import { StartableTargets } from '../../../engine/scopes/startable-targets.js';
import type { Target } from '../../../kernel/callers/target.js';
import { Sites } from '../../sites/project/sites.api.js';
import { refuse } from '../triggers.refusals.js';

@Injectable()
export class MailhookTargets {
  constructor(
    private readonly targets: StartableTargets,
    private readonly sites: Sites,
    private readonly scopes: Scopes,
  ) {}

  /**
   * @throws Refusal site-targets-off, target-kind-unavailable, target-not-found, or the reason why the caller may not
   * start it
   */
  async require(call: OperationContext, target: Target): Promise<void> {
    await this.targets.require(call, target);
  }

  /** The returned function throws if the caller may not start the target. */
  judge(call: OperationContext, target: Target): Promise<() => void> {
    return this.targets.judge(call, target);
  }

  /** @throws Refusal site-not-found (settled question Q-L12), ai-permission-missing */
  async requireSite(call: OperationContext, projectId: string): Promise<void> {
    if (!(await this.sites.has(call.workspaceId, projectId))) refuse('site-not-found');
    await this.scopes.allow(call, projectId);
  }
}
