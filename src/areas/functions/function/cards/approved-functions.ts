import { Injectable } from '@nestjs/common';
import { Reads } from '../../../../engine/scopes/reads.js';
import type { Owned } from '../../../../kernel/callers/function-owner.js';
import { type Approved, type LedFrom, ledFrom, ledFromNone } from '../../../access/policy/led-from.api.js';
import { SitePolicies } from '../../../access/policy/site-policies.api.js';
import type { FunctionDocument } from '../function.record.js';
import { approvedAmong } from './approved.api.js';

/**
 * Finds a site's approved functions: those with Full data access, powers, secrets, connections or service tools. A
 * person approved who may execute them. If their access rules call another function, that one decides who may execute
 * them, so changes of it need the same protection.
 */
@Injectable()
export class ApprovedFunctions {
  constructor(
    private readonly reads: Reads,
    private readonly policies: SitePolicies,
  ) {}

  async of(workspaceId: string, projectId: string): Promise<readonly Approved[]> {
    return approvedAmong(
      await this.reads.find<FunctionDocument>(workspaceId, 'siteFunctions', { where: { projectId } }),
    );
  }

  /**
   * Returns the functions with powers or secrets whose access rules call this one. There are none for a workspace
   * function, because access rules can call only functions of their site.
   */
  async askingGate(workspaceId: string, { id, projectId }: Owned & { readonly id: string }): Promise<LedFrom> {
    if (projectId === undefined) return ledFromNone;
    const approved = await this.of(workspaceId, projectId);
    if (approved.length === 0) return ledFromNone;
    return ledFrom({ kind: 'gate', id }, approved, await this.policies.of(workspaceId, projectId));
  }
}
