import { Injectable } from '@nestjs/common';
import { type DeniedByRule, RuleDecisions } from '../../../engine/explain/rule-decisions.js';
import type { Condition } from '../../../kernel/condition/condition.js';
import type { Facts, RowFacts } from '../../../kernel/judging/facts.js';
import type { Verdict } from '../../../kernel/judging/verdict.js';
import { SitePolicies } from '../policy/site-policies.api.js';
import { AccessJudge, type JudgedResource } from './access-judge.api.js';
import { ConditionChecks, type SavedCondition } from './condition-checks.api.js';
import type { Visitor } from './visitor.api.js';

interface Judged {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly place: Facts['place'];
  readonly condition: unknown;
  readonly visitor: Visitor;
  readonly resource: JudgedResource;
  readonly row?: RowFacts;
}

@Injectable()
export class SiteAccess {
  constructor(
    private readonly policies: SitePolicies,
    private readonly checks: ConditionChecks,
    private readonly judges: AccessJudge,
    private readonly decisions: RuleDecisions,
  ) {}

  /** @throws Refusal condition-invalid */
  checked(about: SavedCondition, sent: unknown): Promise<Condition> {
    return this.checks.checked(about, sent);
  }

  /** Every verdict but `allowed` denies access. The verdict is never `open` (undecided). */
  async judge({ workspaceId, projectId, place, condition, visitor, resource, row }: Judged): Promise<Verdict> {
    const policies = await this.policies.of(workspaceId, projectId);
    const facts = { ...visitor, place, ...(row === undefined ? {} : { row }) };
    return this.judges.judge({ workspaceId, projectId, condition, facts, policies, resource });
  }

  /** Returns an id for the decision, with which `explainDecision` can explain it. */
  async decisionOn(
    { workspaceId, projectId, place, condition, visitor }: Judged,
    verdict: Verdict,
    denied: Pick<DeniedByRule, 'code' | 'resource'>,
  ): Promise<string> {
    const policies = await this.policies.of(workspaceId, projectId);
    const userId = visitor.person?.id ?? null;
    return this.decisions.idOf({ workspaceId, projectId, place, condition, policies, userId, verdict, ...denied });
  }
}
