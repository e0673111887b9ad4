import { Injectable } from '@nestjs/common';
import type { Policies } from '../../../kernel/condition/condition.js';
import { conditionWords } from '../../../kernel/judging/condition-words.js';
import type { Facts, PersonFacts } from '../../../kernel/judging/facts.js';
import { judgedTree } from '../../../kernel/judging/judged-tree.js';
import { SitePolicies } from '../policy/site-policies.api.js';
import { wrongWith } from './broken-conditions.api.js';
import { type StoredCondition, StoredConditions } from './condition-holders.api.js';
import { audiences } from './visitor.api.js';

export interface AccessSummary {
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  readonly operation: string;
  readonly letsIn: (typeof audiences)[number];
  readonly hasRules: boolean;
  readonly words: string;
  /**
   * Why the condition cannot be evaluated, or `null` if it can. If it cannot, only members with edit rights have
   * access.
   */
  readonly problem: string | null;
}

@Injectable()
export class AccessSummaries {
  constructor(
    private readonly holders: StoredConditions,
    private readonly policies: SitePolicies,
  ) {}

  async of(workspaceId: string, projectId: string): Promise<readonly AccessSummary[]> {
    const stored = await this.holders.conditionsOf(workspaceId, projectId);
    const policies = await this.policies.of(workspaceId, projectId);
    const wrong = wrongWith(stored, policies);
    return stored.map((one) => summaryOf(one, policies, wrong(one)));
  }
}

const anybody: PersonFacts = { id: 'somebody', email: null, roleIds: [], entitlements: [], properties: {} };

function summaryOf(stored: StoredCondition, policies: Policies, problem: string | undefined): AccessSummary {
  const { kind, id, name, operation, condition, unruled, place } = stored;
  const hasRules = condition !== null;
  const counts = hasRules ? condition : unruled;
  const about = { kind, id, name, operation, hasRules };
  if (problem !== undefined) {
    return { ...about, letsIn: 'owner', words: conditionWords(counts, policies), problem };
  }
  if (counts === undefined) {
    return { ...about, letsIn: 'owner', words: 'only members with edit rights', problem: null };
  }
  return {
    ...about,
    letsIn: audienceOf(counts, place, policies),
    words: conditionWords(counts, policies),
    problem: null,
  };
}

function audienceOf(condition: unknown, place: Facts['place'], policies: Policies): AccessSummary['letsIn'] {
  const outcome = (person?: PersonFacts) => {
    const facts = { now: 0, throughSite: true, place, ...(person === undefined ? {} : { person }) };
    const judged = judgedTree(condition, facts, policies);
    return judged.kind === 'tree' ? judged.root.outcome : 'none';
  };
  const [visitor, signedIn] = [outcome(), outcome(anybody)];
  if (visitor === 'none') return 'owner';
  if (visitor === 'allowed' && signedIn === 'allowed') return 'everyone';
  return signedIn === 'allowed' ? 'signed-in' : 'some';
}
