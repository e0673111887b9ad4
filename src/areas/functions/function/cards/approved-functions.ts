import { Injectable } from '@nestjs/common';
import { Reads } from '../../../../engine/scopes/reads.js';
import type { Owned } from '../../../../kernel/callers/function-owner.js';
import { type Approved, type LedFrom, ledFrom, ledFromNone } from '../../../access/policy/led-from.api.js';
import { SitePolicies } from '../../../access/policy/site-policies.api.js';
import type { FunctionDocument } from '../function.record.js';
import { approvedAmong } from './approved.api.js';

/** Functions of sites whose execution a person approved. The workspace's functions cannot be gates. */
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

  /** The approved functions that use this one as a gate. */
  async askingGate(workspaceId: string, { id, projectId }: Owned & { readonly id: string }): Promise<LedFrom> {
    if (projectId === undefined) return ledFromNone;
    const approved = await this.of(workspaceId, projectId);
    if (approved.length === 0) return ledFromNone;
    return ledFrom({ kind: 'gate', id }, approved, await this.policies.of(workspaceId, projectId));
  }
}
