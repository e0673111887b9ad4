import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import { type Known, nothingKnown } from '../../../kernel/condition/check-condition.js';
import { SitePolicies } from '../policy/site-policies.api.js';

@Injectable()
export class SiteKnown {
  constructor(
    private readonly policies: SitePolicies,
    private readonly reads: Reads,
  ) {}

  /** Without a project, the result is empty, because conditions outside a site cannot refer to a site's records. */
  async of(workspaceId: string, projectId: string | null | undefined): Promise<Known> {
    if (projectId === null || projectId === undefined) return nothingKnown;
    const [policies, functions, roles] = await Promise.all([
      this.policies.of(workspaceId, projectId),
      this.reads.find(workspaceId, 'siteFunctions', { where: { projectId } }),
      this.reads.find(workspaceId, 'siteRoles', { where: { projectId } }),
    ]);
    return { policies, functions: idsOf(functions), roles: idsOf(roles) };
  }
}

const idsOf = (found: readonly { readonly id: string }[]): ReadonlySet<string> => new Set(found.map(({ id }) => id));
