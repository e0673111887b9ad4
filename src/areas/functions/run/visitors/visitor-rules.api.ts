import { Injectable } from '@nestjs/common';
import { PowerDecisions } from '../../../../engine/explain/power-decisions.js';
import { RuleDecisions } from '../../../../engine/explain/rule-decisions.js';
import { ownerOf } from '../../../../kernel/callers/function-owner.js';
import { judge } from '../../../../kernel/judging/judge.js';
import type { Verdict } from '../../../../kernel/judging/verdict.js';
import { AccessJudge } from '../../../access/judging/access-judge.api.js';
import type { Visitor } from '../../../access/judging/visitor.api.js';
import { SitePolicies } from '../../../access/policy/site-policies.api.js';
import type { FunctionDocument } from '../../function/function.record.js';
import { refusalOf, refuse } from '../../functions.refusals.js';

@Injectable()
export class VisitorRules {
  constructor(
    private readonly judge: AccessJudge,
    private readonly policies: SitePolicies,
    private readonly decisions: RuleDecisions,
    private readonly powers: PowerDecisions,
  ) {}

  /**
   * The workspace function must have been granted the visitor's site (Automations API, rule 10).
   * @throws Refusal site-not-served
   */
  mustServe(fn: FunctionDocument, { projectId = '', person }: Visitor): void {
    if (fn.grants.bases.some((granted) => granted.projectId === projectId)) return;
    const { workspaceId, name } = fn;
    const code = 'site-not-served';
    const { message: sentence } = refusalOf(code, { name });
    const visitor =
      person === undefined ? ({ kind: 'visitor', id: projectId } as const) : ({ kind: 'user', id: person.id } as const);
    const about = { code, sentence, member: `account-functions/${name}`, visitor };
    refuse(code, { name }, { decisionId: this.powers.idOf({ workspaceId, function: fn, ...about }) });
  }

  /** @throws Refusal no-access-rules, execute-refused */
  async mustExecute(fn: FunctionDocument, visitor: Visitor): Promise<void> {
    const denied = await this.denied(fn, visitor);
    if (denied !== undefined) refuse(denied.code, { name: fn.name }, { decisionId: denied.decisionId });
  }

  /** Returns undefined if the execute rule admits the visitor or the visitor is a member of the workspace. */
  async denied(fn: Judged, visitor: Visitor): Promise<Denied | undefined> {
    if (visitor.member !== undefined) return undefined;
    const { workspaceId, projectId = '', id, name, accessRules } = fn;
    const condition = accessRules.execute;
    const place = ownerOf(fn).kind === 'project' ? 'function' : 'account-function';
    const site = projectId === '' ? (visitor.projectId ?? '') : projectId;
    const policies = await this.policies.of(workspaceId, projectId);
    const deniedBy = (code: Denied['code'], verdict: Verdict): Denied => {
      const decisionId = this.decisions.idOf({
        workspaceId,
        projectId: site,
        code,
        resource: { kind: place, id, operation: 'execute' },
        userId: visitor.person?.id ?? null,
        condition: condition ?? null,
        place,
        policies,
        verdict,
      });
      return { code, decisionId };
    };
    if (hasNone(condition)) {
      // Users who are signed in get the specific reason; other visitors get the general refusal.
      const code = visitor.person === undefined ? 'execute-refused' : 'no-access-rules';
      return deniedBy(code, judge(condition, { ...visitor, place }, policies));
    }
    const verdict = await this.judge.judge({
      workspaceId,
      projectId,
      condition,
      facts: { ...visitor, place },
      policies,
      resource: { type: place, id, name },
    });
    return verdict.isAllowed ? undefined : deniedBy('execute-refused', verdict);
  }
}

type Judged = Pick<FunctionDocument, 'workspaceId' | 'projectId' | 'id' | 'name' | 'accessRules'>;

interface Denied {
  readonly code: 'execute-refused' | 'no-access-rules';
  readonly decisionId: string;
}

function hasNone(condition: unknown): boolean {
  return condition === null || condition === undefined || (Array.isArray(condition) && condition.length === 0);
}
