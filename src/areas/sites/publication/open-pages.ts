import { Injectable } from '@nestjs/common';
import { judge } from '../../../kernel/condition/judge.js';
import { Clock } from '../../../ports/clock.port.js';
import { SitePolicies } from '../../access/policy/site-policies.api.js';
import type { Page } from '../page/page.record.js';
import { ruleOfFlags } from '../page/page-rules.api.js';
import type { Project } from '../project/project.record.js';

/** Which pages a visitor without a sign-in may read now: only these are rendered ahead. */
@Injectable()
export class OpenPages {
  constructor(
    private readonly policies: SitePolicies,
    private readonly clock: Clock,
  ) {}

  async of({ workspaceId, id, authEnabled }: Project): Promise<(page: Page) => boolean> {
    if (!authEnabled) return () => true;
    const policies = await this.policies.of(workspaceId, id);
    const facts = { now: this.clock.now(), place: 'page', throughSite: true } as const;
    return (page) => judge(page.accessRules ? page.accessRules.read : ruleOfFlags(page), facts, policies).isAllowed;
  }
}
