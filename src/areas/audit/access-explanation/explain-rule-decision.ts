import { Injectable } from '@nestjs/common';
import { type Explanation, explainsDecisions } from '../../../engine/explain/decision-explainers.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import type { RuleDecision } from '../../../kernel/judging/decision.js';
import { type JudgedTree, recordedTree } from '../../../kernel/judging/judged-tree.js';
import { outcomesFrom } from '../../../kernel/judging/rule-outcomes.js';
import { smallestChange } from '../../../kernel/judging/smallest-change.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { SiteUsers } from '../../app-users/app-user/site-users.api.js';
import { SiteRoles } from '../../app-users/role/site-roles.api.js';
import { explainedPart, neededChange } from './explained-parts.js';
import { Explanations } from './explanations.js';
import { type FoundRule, PastRules } from './past-rules.js';
import { homeOf } from './rule-homes.js';

/** Only callers who may change the rules get an explanation. */
@Injectable()
export class RuleExplanations {
  constructor(
    private readonly past: PastRules,
    private readonly users: SiteUsers,
    private readonly roles: SiteRoles,
    private readonly explanations: Explanations,
  ) {}

  async of(call: OperationContext, decision: RuleDecision): Promise<Explanation | undefined> {
    const permissions = call.caller?.permissions;
    if (permissions?.has('site.edit') !== true) return undefined;
    const { userId, projectId, place, outcomes } = decision;
    const found = await this.past.of(call.workspaceId, decision);
    const user =
      userId !== null && permissions.has('site.users') ? await this.users.find(call.workspaceId, userId) : undefined;
    const judged = judgedThen(decision, found);
    const roles = await this.roles.namesOf(call.workspaceId, projectId);
    const isWhole =
      judged?.kind === 'tree' && judged.root.outcome === decision.outcome && decision.judged === undefined;
    const change = isWhole ? smallestChange(judged.root)?.map((flip) => neededChange(flip, roles)) : undefined;
    return {
      who: { kind: userId === null ? 'visitor' : 'user', id: userId, name: user?.email ?? null },
      operation: null,
      place: { ...place, name: found.name, projectId },
      sentence: sentenceOf(decision, judged),
      tree: judged?.kind === 'tree' ? explainedPart(judged.root, roles) : null,
      smallestChange: change ?? null,
      changedSince: !found.isNow,
      allowedNow: await this.allowedNow(call, decision),
      note: noteOf(decision, found, outcomes !== undefined && !isWhole),
    };
  }

  private async allowedNow(
    call: OperationContext,
    { place, projectId, userId }: RuleDecision,
  ): Promise<boolean | null> {
    if (place.kind === 'account-function') return null;
    const { kind, id, operation, rowId } = place;
    const resource =
      kind === 'table' && rowId !== undefined && operation !== 'create' ? { kind: 'row', id: rowId } : { kind, id };
    try {
      const { outcome } = await this.explanations.of(call, {
        resource: { ...resource, operation },
        projectId,
        ...(userId === null ? {} : { appUserId: userId }),
      });
      return outcome === 'open' ? null : outcome === 'allowed';
    } catch (error) {
      if (error instanceof Refusal && error.kind === 'not-found') return null;
      throw error;
    }
  }
}

function judgedThen({ place, projectId, outcomes }: RuleDecision, { judged }: FoundRule): JudgedTree | undefined {
  if (judged === undefined) return undefined;
  return recordedTree(
    judged.condition,
    homeOf({ place, projectId }).place,
    judged.policies,
    outcomesFrom(outcomes ?? ''),
  );
}

function sentenceOf({ rule, outcome, problem }: RuleDecision, judged: JudgedTree | undefined): string {
  if (problem !== undefined) return problem;
  if (rule === null || judged?.kind === 'no rules') {
    return 'There were no rules, so only members with edit rights had access.';
  }
  return outcome === 'fault'
    ? 'The condition could not be evaluated, so only members with edit rights had access.'
    : 'The condition denied access.';
}

function noteOf({ judged: all }: RuleDecision, { judged, isNow }: FoundRule, isPart: boolean): string | null {
  const parts: string[] = [];
  if (judged === undefined) parts.push('The rule that was evaluated is not in the history of the protected resource.');
  else if (!isNow)
    parts.push(
      'The rule, or a policy that it refers to, has changed since. The rule at the time of the decision is shown.',
    );
  if (all !== undefined) {
    parts.push(
      `The condition has ${all} rules, more than a decisionId can contain: those without a recorded outcome are shown as open.`,
    );
  } else if (isPart && judged !== undefined) {
    parts.push('Some of what was evaluated is no longer known.');
  }
  return parts.length === 0 ? null : parts.join(' ');
}

export const ruleExplanations = [
  PastRules,
  RuleExplanations,
  explainsDecisions('rule', RuleExplanations, (explanations, call, decision) => explanations.of(call, decision)),
];
