import { Injectable } from '@nestjs/common';
import { Reads } from '../../../../engine/scopes/reads.js';
import type { Owned } from '../../../../kernel/callers/function-owner.js';
import { type GuardedFunction, type LedFrom, ledFrom, ledFromNone } from '../../../access/policy/led-from.api.js';
import { SitePolicies } from '../../../access/policy/site-policies.api.js';
import type { FunctionDocument } from '../function.record.js';
import { guardedAmong } from './approved.api.js';

/**
 * Guarded functions have Full data access, powers, secrets, connections or service tools. If the access rule of a
 * guarded function calls another function, the called function decides who may execute the guarded one. So changes of
 * both need the same protection.
 */
@Injectable()
export class GuardedFunctions {
  constructor(
    private readonly reads: Reads,
    private readonly policies: SitePolicies,
  ) {}

  async inProject(workspaceId: string, projectId: string): Promise<readonly GuardedFunction[]> {
    return guardedAmong(
      await this.reads.find<FunctionDocument>(workspaceId, 'siteFunctions', { where: { projectId } }),
    );
  }

  /**
   * Returns the guarded functions whose access rules call this function. There are none for a workspace function,
   * because access rules can call only functions of their own site.
   */
  async callingGate(workspaceId: string, { id, projectId }: Owned & { readonly id: string }): Promise<LedFrom> {
    if (projectId === undefined) return ledFromNone;
    const guarded = await this.inProject(workspaceId, projectId);
    if (guarded.length === 0) return ledFromNone;
    return ledFrom({ kind: 'gate', id }, guarded, await this.policies.of(workspaceId, projectId));
  }
}
