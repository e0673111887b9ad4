import { Injectable } from '@nestjs/common';
import { ownerOf } from '../../../kernel/function-owner.js';
import { refuse } from '../../../kernel/refusal.js';
import { SitePolicies } from '../../access/policy/site-policies.api.js';
import { AccessJudge } from '../access-function/access-judge.api.js';
import type { AccountFunction } from '../function/function.record.js';
import type { Visitor } from './function-runs.api.js';

/** Judges whether a visitor of a site may execute a function of it, or of its workspace (Sites API, Access Condition). */
@Injectable()
export class VisitorRules {
  constructor(
    private readonly judge: AccessJudge,
    private readonly policies: SitePolicies,
  ) {}

  /** @throws Refusal no-access-rules, execute-refused */
  async mustExecute(fn: AccountFunction, visitor: Visitor): Promise<void> {
    const { workspaceId, projectId = '', id, name, accessRules } = fn;
    const condition = accessRules.execute;
    const place = ownerOf(fn).kind === 'project' ? 'function' : 'account-function';
    if (hasNone(condition)) {
      // Whoever has signed in is told why; to anybody else it is closed like every other.
      return visitor.person === undefined ? refuse('execute-refused', { name }) : refuse('no-access-rules', { name });
    }
    const verdict = await this.judge.judge({
      workspaceId,
      projectId,
      condition,
      facts: { ...visitor, place },
      policies: await this.policies.of(workspaceId, projectId),
      resource: { type: place, id, name },
    });
    if (!verdict.isAllowed) refuse('execute-refused', { name });
  }
}

function hasNone(condition: unknown): boolean {
  return condition === null || condition === undefined || (Array.isArray(condition) && condition.length === 0);
}
