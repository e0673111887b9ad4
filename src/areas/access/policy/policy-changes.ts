import { Injectable } from '@nestjs/common';
import { PendingChanges } from '../../../engine/approvals/pending-changes.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { PendingApproval } from '../../../engine/operation/pending-approval.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { Condition } from '../../../kernel/condition/condition.js';
import { limits } from '../../../kernel/condition/limits.js';
import { reachOf } from '../../../kernel/condition/reach.js';
import { shapeOf, typed } from '../../../kernel/field/field.js';
import { type StoredCondition, StoredConditions } from '../judging/condition-holders.api.js';
import { SiteKnown } from '../judging/site-known.api.js';
import { charactersOf, createPolicy, deletePolicy, type PolicyInput, updatePolicy } from './access-policy.js';
import {
  type AccessPolicies,
  type AccessPoliciesEvent,
  accessPolicies,
  type PolicyEntry,
  policiesOf,
  type StoredPolicy,
} from './access-policy.record.js';
import { policyBase } from './gated-policies.js';

type All = AccessPolicies | undefined;

export const AccessPolicyRecord = shapeOf('AccessPolicyRecord', {
  id: { type: 'string' },
  name: { type: 'string' },
  description: { type: 'string', nullable: true },
  color: { type: 'string', nullable: true },
  condition: typed<Condition>()({
    type: 'any',
    nullable: true,
    description: 'null if the condition exceeds the size limit; see `note`.',
  }),
  size: {
    type: 'integer',
    optional: true,
    description: 'Length of the condition in characters. Only present if it exceeds the size limit.',
  },
  note: {
    type: 'string',
    optional: true,
    description: 'Explains that the condition exceeds the size limit. Only present if it does.',
  },
});
type Answer = InstanceType<typeof AccessPolicyRecord>;

interface NewPolicy extends PolicyInput {
  readonly projectId: string;
  readonly name: string;
}

interface ChangedPolicy extends PolicyInput {
  readonly policyId: string;
}

@Injectable()
export class PolicyChanges {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly holders: StoredConditions,
    private readonly known: SiteKnown,
    private readonly pending: PendingChanges,
  ) {}

  async list({ workspaceId }: OperationContext, projectId: string): Promise<readonly Answer[]> {
    const all = await this.reads.get<AccessPolicies>(workspaceId, 'accessPolicySets', projectId);
    return Object.entries(all?.policies ?? {})
      .slice(0, limits.policiesOfASite)
      .map(([id, policy]) => recordOf(id, policy));
  }

  async create(call: OperationContext, { projectId, ...sent }: NewPolicy): Promise<Answer> {
    const policyId = call.newId('pol');
    const site = await this.known.of(call.workspaceId, projectId);
    const all = await this.runner.change<All, AccessPoliciesEvent>(call, {
      aggregate: accessPolicies,
      id: projectId,
      begins: 'perhaps',
      decide: (before) => createPolicy(before, { projectId, policyId }, sent, site),
    });
    return shownOf(all, policyId);
  }

  async update(call: OperationContext, { policyId, ...sent }: ChangedPolicy): Promise<Answer | PendingApproval> {
    const { workspaceId } = call;
    const projectId = await this.projectOf(call, policyId);
    const site = await this.known.of(workspaceId, projectId);
    const isJudged = sent.condition !== undefined;
    const conditions = isJudged ? await this.holders.conditionsOf(workspaceId, projectId) : [];
    const guarded = conditions.flatMap((one) => one.guarded ?? []);
    let outcome: ReturnType<typeof updatePolicy> | undefined;
    const all = await this.runner.change<All, AccessPoliciesEvent>(call, {
      aggregate: accessPolicies,
      id: projectId,
      decide: (before) => {
        outcome = updatePolicy(before, policyId, sent, { ...site, conditions, guarded, by: call.actor });
        const { events } = outcome;
        const weighs = call.weighing !== undefined && events.some(changesCondition);
        if (weighs && decidesMail(policyId, before, conditions)) call.weighing.isRisky = true;
        return events;
      },
    });
    const shown = shownOf(all, policyId);
    if (outcome?.proposal === undefined || all === undefined) return shown;
    const { proposal } = outcome;
    const target = { kind: accessPolicies.category, id: policyId, name: shown.name };
    const base = policyBase(all, policyId);
    return new PendingApproval(await this.pending.propose(call, { ...proposal, target, base }), shown);
  }

  async delete(call: OperationContext, policyId: string): Promise<{ readonly success: true }> {
    await this.runner.change<All, AccessPoliciesEvent>(call, {
      aggregate: accessPolicies,
      id: await this.projectOf(call, policyId),
      decide: (before) => deletePolicy(before, policyId),
    });
    return { success: true };
  }

  private async projectOf({ workspaceId }: OperationContext, policyId: string): Promise<string> {
    const found = await this.reads.get<PolicyEntry>(workspaceId, 'accessPolicies', policyId);
    return (found ?? accessPolicies.missing()).projectId;
  }
}

const changesCondition = ({ type, data }: AccessPoliciesEvent) =>
  type === 'AccessPolicyUpdated' && data.condition !== undefined;

/** Whether the policy decides who gets mail that a person has approved. Changing it then needs approval again. */
function decidesMail(policyId: string, all: All, stored: readonly StoredCondition[]): boolean {
  const conditions = stored.filter(({ sends }) => sends).map(({ condition }) => condition);
  return all !== undefined && reachOf(conditions, policiesOf(all)).policies.has(policyId);
}

function shownOf(all: All, policyId: string): Answer {
  return recordOf(policyId, all?.policies[policyId] ?? accessPolicies.missing());
}

/** A note replaces a condition that exceeds the present limit (Sites API, listAccessPolicies). */
function recordOf(id: string, { name, description, color, condition }: StoredPolicy): Answer {
  const size = charactersOf(condition);
  if (size <= limits.policyCharacters) return { id, name, description, color, condition };
  const note = `The condition has ${size} characters, more than the limit of ${limits.policyCharacters}, so it denies all access. Save a shorter one.`;
  return { id, name, description, color, condition: null, size, note };
}
