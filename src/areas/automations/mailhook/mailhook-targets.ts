import { Injectable } from '@nestjs/common';
import { Targets } from '../../../engine/targets.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Target } from '../../../kernel/target.js';
import { Sites } from '../../../ports/sites.port.js';

/** Judges what a mailhook may point at and be bound to. */
@Injectable()
export class MailhookTargets {
  constructor(
    private readonly targets: Targets,
    private readonly sites: Sites,
  ) {}

  /** @throws Refusal site-targets-off, target-kind-unavailable, target-not-found */
  async require(workspaceId: string, target: Target): Promise<void> {
    await this.targets.require(workspaceId, target);
  }

  /** @throws Refusal site-not-found (settled question Q-L12) */
  async requireSite(workspaceId: string, projectId: string): Promise<void> {
    if (!(await this.sites.has(workspaceId, projectId))) refuse('site-not-found');
  }
}
