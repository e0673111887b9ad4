import { Injectable } from '@nestjs/common';
import type { Visitor } from '../../areas/access/judging/visitor.api.js';
import { SitePasses } from '../../areas/app-users/site-pass/site-passes.api.js';
import { WebhookRules } from '../../areas/functions/run/visitors/webhook-rules.api.js';
import { type Webhook, webhookTarget } from '../../areas/triggers/webhook/webhook.record.js';
import { Targets } from '../../engine/scopes/targets.js';
import { Clock } from '../../ports/clock.port.js';
import { refuse } from '../http.refusals.js';

@Injectable()
export class WebhookVisitors {
  constructor(
    private readonly targets: Targets,
    private readonly passes: SitePasses,
    private readonly rules: WebhookRules,
    private readonly clock: Clock,
  ) {}

  /**
   * With an invalid or expired session, the visitor is treated as not signed in. For a function of the workspace, the
   * session decides which site is visited.
   * @throws Refusal no-access-rules, execute-refused, site-not-served
   */
  async admitted(webhook: Webhook, session: string): Promise<Visitor> {
    const { workspaceId } = webhook;
    const target = webhookTarget(webhook);
    const known = await this.targets.find(workspaceId, target);
    const projectId = known?.projectId ?? (await this.passes.siteOf(workspaceId, session));
    const visitor = { ...(await this.visitorOf(workspaceId, projectId, session)), projectId: projectId ?? '' };
    await this.rules.mustAdmit(workspaceId, target, visitor);
    return visitor;
  }

  /** @throws Refusal webhook-not-found if the target is not a function of this site */
  async mustBeOf(webhook: Webhook, projectId: string): Promise<void> {
    const known = await this.targets.find(webhook.workspaceId, webhookTarget(webhook));
    if (known?.projectId !== projectId) refuse('webhook-not-found');
  }

  private async visitorOf(workspaceId: string, projectId: string | undefined, session: string): Promise<Visitor> {
    if (projectId === undefined) return { now: this.clock.now(), throughSite: false };
    return (await this.passes.visitorOf(workspaceId, projectId, session)).visitor;
  }
}
