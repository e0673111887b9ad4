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

/** Checks and judges the conditions of a site. All kinds of resources use it. */
@Injectable()
export class SiteAccess {
  constructor(
    private readonly policies: SitePolicies,
    private readonly checks: ConditionChecks,
    private readonly judges: AccessJudge,
    private readonly decisions: RuleDecisions,
  ) {}

  /**
   * Checks a condition before it is saved. Handlers of commands inject `ConditionChecks` directly, which cannot run
   * functions.
   * @throws Refusal condition-invalid
   */
  checked(about: SavedCondition, sent: unknown): Promise<Condition> {
    return this.checks.checked(about, sent);
  }

  /**
   * Judges a condition, and runs the functions that it names. The verdict is therefore never `open` (undecided). Every
   * verdict but `allowed` denies access.
   */
  async judge({ workspaceId, projectId, place, condition, visitor, resource, row }: Judged): Promise<Verdict> {
    const policies = await this.policies.of(workspaceId, projectId);
    const facts = { ...visitor, place, ...(row === undefined ? {} : { row }) };
    return this.judges.judge({ workspaceId, projectId, condition, facts, policies, resource });
  }

  /** Returns an id for the decision with this verdict. `explainDecision` accepts the id and returns the reason. */
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
