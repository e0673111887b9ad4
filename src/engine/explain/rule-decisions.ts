import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Policies } from '../../kernel/condition/condition.js';
import { expand } from '../../kernel/condition/expansion.js';
import { readStored } from '../../kernel/condition/read-condition.js';
import { canonicalJson } from '../../kernel/json/canonical-json.js';
import type { RuleDecision, RulePlace } from '../../kernel/judging/decision.js';
import type { Facts } from '../../kernel/judging/facts.js';
import type { Verdict } from '../../kernel/judging/verdict.js';
import { Clock } from '../../ports/clock.port.js';
import { DecisionIds } from './decision-ids.js';

export interface DeniedByRule {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly code: string;
  readonly resource: RulePlace;
  readonly userId: string | null;
  readonly condition: unknown;
  readonly place: Facts['place'];
  readonly policies: Policies;
  readonly verdict: Pick<Verdict, 'outcome' | 'outcomes' | 'explain'>;
}

@Injectable()
export class RuleDecisions {
  constructor(
    private readonly ids: DecisionIds,
    private readonly clock: Clock,
  ) {}

  idOf({ workspaceId, projectId, code, resource, userId, condition, place, policies, verdict }: DeniedByRule): string {
    const { outcome } = verdict;
    const outcomes = verdict.outcomes();
    const problem = outcome === 'fault' && outcomes === undefined ? verdict.explain()[0]?.sentence : undefined;
    const decision: RuleDecision = {
      kind: 'rule',
      at: new Date(this.clock.now()).toISOString(),
      code,
      projectId,
      place: resource,
      userId,
      outcome,
      ...digests(condition, place, policies),
      ...(outcomes === undefined ? {} : { outcomes }),
      ...(problem === undefined ? {} : { problem }),
    };
    return this.ids.idOf(workspaceId, decision);
  }
}

/** If the digests in a decision equal those that are computed later, the rules have not changed since the decision. */
export function digests(
  condition: unknown,
  place: Facts['place'],
  policies: Policies,
): Pick<RuleDecision, 'rule' | 'policies'> {
  const reached = reachedFrom(condition, place, policies);
  return {
    rule: condition === undefined || condition === null ? null : digestOfCondition(condition),
    ...(reached.length === 0 ? {} : { policies: digestOf(reached) }),
  };
}

function reachedFrom(condition: unknown, place: Facts['place'], policies: Policies): readonly unknown[] {
  const reading = readStored(condition ?? []);
  const reached: unknown[] = [];
  if (!reading.ok) return reached;
  expand(reading, place, (id) => {
    const policy = policies(id);
    reached.push([id, policy?.condition ?? null]);
    return policy;
  });
  return reached;
}

const known = new WeakMap<object, string>();

/** Digests are memoised, because conditions are immutable and usually evaluated many times. */
function digestOfCondition(condition: unknown): string {
  if (typeof condition !== 'object' || condition === null) return digestOf(condition);
  const digest = known.get(condition) ?? digestOf(condition);
  known.set(condition, digest);
  return digest;
}

const digestOf = (value: unknown) => createHash('sha256').update(canonicalJson(value)).digest('base64url').slice(0, 16);
