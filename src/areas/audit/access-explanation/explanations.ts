import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import type { Policies } from '../../../kernel/condition/condition.js';
import type { Facts } from '../../../kernel/judging/facts.js';
import { type JudgedPart, type JudgedTree, judgedTree, type OfRow } from '../../../kernel/judging/judged-tree.js';
import { smallestChange } from '../../../kernel/judging/smallest-change.js';
import type { Value } from '../../../kernel/judging/value.js';
import { SitePolicies } from '../../access/policy/site-policies.api.js';
import { SiteUsers } from '../../app-users/app-user/site-users.api.js';
import { SiteRoles } from '../../app-users/role/site-roles.api.js';
import { type RowOfTable, RowRuleValues } from '../../bases/row/rules/row-rule-values.api.js';
import { refuse } from '../audit.refusals.js';
import type { AccessExplanation, ExplainedUser, ResourceShape } from './access-explanation.js';
import { explainedPart, neededChange, type RoleNames } from './explained-parts.js';
import { ExplainedResources, type FoundResource } from './explained-resources.js';

interface Question {
  readonly resource: ResourceShape;
  readonly appUserId?: string;
  readonly projectId?: string;
}

interface ExplainedPerson {
  readonly user: ExplainedUser | null;
  readonly person?: NonNullable<Facts['person']>;
}

const mostRowRules = 50;

/** Functions in the condition are not run, because asking for an explanation must have no effects. */
@Injectable()
export class Explanations {
  constructor(
    private readonly resources: ExplainedResources,
    private readonly users: SiteUsers,
    private readonly policies: SitePolicies,
    private readonly rows: RowRuleValues,
    private readonly roles: SiteRoles,
  ) {}

  async of(call: OperationContext, { resource, appUserId, projectId: named }: Question): Promise<AccessExplanation> {
    const { workspaceId } = call;
    const user = appUserId === undefined ? undefined : await this.users.find(workspaceId, appUserId);
    if (appUserId !== undefined && user === undefined) return refuse('app-user-not-found');
    const found = await this.resources.find(call, resource, named, user?.projectId);
    const { projectId, stored } = found;
    if (user !== undefined && user.projectId !== projectId) return refuse('app-user-not-found');
    const asker = user === undefined ? { user: null } : await this.asker(user);
    const policies = await this.policies.of(workspaceId, projectId);
    const { user: _, ...who } = asker;
    const facts: Facts = { now: Date.parse(call.at), throughSite: true, place: stored.place, ...who };
    const condition = stored.condition ?? stored.unruled;
    const ofRow = found.row && (await this.ofRow(found.row, condition, facts, policies));
    const judged = judgedTree(condition, facts, policies, ofRow);
    const { kind, id, name, operation } = stored;
    const shown = found.row === undefined ? { kind, id } : { kind: 'row', id: found.row.row.id };
    const roles = await this.roles.namesOf(workspaceId, projectId);
    const about = { projectId, resource: { ...shown, name, operation }, user: asker.user };
    return { ...about, ...outcomeOf(judged, found, roles) };
  }

  private async asker(user: NonNullable<Awaited<ReturnType<SiteUsers['find']>>>): Promise<ExplainedPerson> {
    const { id, email, isBanned } = user;
    const shown = { id, email, isBanned };
    return isBanned ? { user: shown } : { user: shown, person: await this.users.personOf(user) };
  }

  private async ofRow(at: RowOfTable, condition: unknown, facts: Facts, policies: Policies): Promise<OfRow> {
    const judged = judgedTree(condition, facts, policies, () => undefined);
    const values = new Map<string, Value>();
    const { now, throughSite, person } = facts;
    const asking = { now, throughSite, ...(person === undefined ? {} : { person }) };
    for (const rule of judged.kind === 'tree' ? openRules(judged.root) : []) {
      if (values.size >= mostRowRules) break;
      const key = JSON.stringify(rule);
      if (!values.has(key)) values.set(key, await this.rows.valuesOf(at, rule, asking, policies));
    }
    return (rule) => values.get(JSON.stringify(rule));
  }
}

function openRules(part: JudgedPart): readonly Extract<JudgedPart, { kind: 'rule' }>['rule'][] {
  if (part.kind !== 'rule') return part.parts.flatMap(openRules);
  return part.outcome === 'open' ? [part.rule] : [];
}

function outcomeOf(judged: JudgedTree, { stored }: FoundResource, roles: RoleNames) {
  switch (judged.kind) {
    case 'no rules': {
      const sentence = 'There are no rules, so only members with edit rights have access.';
      return { allowed: false, outcome: 'denied', sentence, tree: null, smallestChange: null };
    }
    case 'cannot be judged': {
      const sentence = `The condition cannot be evaluated, so only members with edit rights have access: ${judged.problem}.`;
      return { allowed: false, outcome: 'fault', sentence, tree: null, smallestChange: null };
    }
    case 'tree': {
      const { root } = judged;
      const change = smallestChange(root)?.map((flip) => neededChange(flip, roles)) ?? null;
      const before =
        stored.condition === null && stored.unruled !== undefined ? 'No rules are saved; according to its flags, ' : '';
      const outcomeSentence = `${before}${sentences[root.outcome]}`;
      const sentence = `${outcomeSentence.charAt(0).toUpperCase()}${outcomeSentence.slice(1)}`;
      const allowed = root.outcome === 'allowed';
      return { allowed, outcome: root.outcome, sentence, tree: explainedPart(root, roles), smallestChange: change };
    }
  }
}

const sentences: Readonly<Record<Value, string>> = {
  allowed: 'the condition grants access.',
  denied: 'the condition denies access.',
  open: 'the outcome depends on the undecided parts of the condition.',
  fault: 'the condition cannot be evaluated, so access is denied.',
};
