import { Injectable } from '@nestjs/common';
import { AggregateLoader } from '../../../engine/commands/aggregate-loader.js';
import { digests } from '../../../engine/explain/rule-decisions.js';
import type { Policies } from '../../../kernel/condition/condition.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import type { RuleDecision } from '../../../kernel/judging/decision.js';
import { recordKind } from '../../../kernel/record/record.js';
import { type AccessPolicies, accessPolicies, policiesOf } from '../../access/policy/access-policy.record.js';
import { homeOf } from './rule-homes.js';

export interface PastRule {
  readonly name: string;
  readonly condition: unknown;
  readonly policies: Policies;
}

export interface FoundRule {
  readonly judged: PastRule | undefined;
  readonly isNow: boolean;
  readonly name: string | null;
}

const none: Policies = () => undefined;

/** Searches the history of the protected resource for the rule with the digest that the decision recorded. */
@Injectable()
export class PastRules {
  constructor(private readonly loader: AggregateLoader) {}

  async of(workspaceId: string, decision: RuleDecision): Promise<FoundRule> {
    const { rule } = decision;
    const home = homeOf(decision);
    let digest: string | null = null;
    let last: ReturnType<typeof home.read> | undefined;
    let found: typeof last;
    let now: unknown;
    for await (const state of this.states(home.category, workspaceId, home.id)) {
      now = state;
      if (state === undefined) continue;
      const read = home.read(state);
      if (read.condition !== last?.condition) digest = digests(read.condition, home.place, none).rule;
      last = read;
      if (digest === rule) found = read;
    }
    const name = last?.name ?? null;
    // If the decision recorded `null` and no state matches, no rule was saved at that time, so the condition was
    // `null`.
    if (found === undefined && rule === null) found = { name: name ?? '', condition: null };
    const reached = found && (await this.policiesOf(workspaceId, decision, found.condition));
    if (found === undefined || reached === undefined) return { judged: undefined, isNow: false, name };
    const isNow = (now === undefined ? null : digest) === rule && reached.isNow;
    return { judged: { ...found, policies: reached.policies }, isNow, name };
  }

  private async policiesOf(
    workspaceId: string,
    { projectId, place, policies: digest }: RuleDecision,
    condition: unknown,
  ): Promise<{ readonly policies: Policies; readonly isNow: boolean } | undefined> {
    if (digest === undefined) return { policies: none, isNow: true };
    const as = homeOf({ place, projectId }).place;
    const matches = (policies: Policies) => digests(condition, as, policies).policies === digest;
    let isNow = matches(none);
    let found: Policies | undefined = isNow ? none : undefined;
    for await (const state of this.states(accessPolicies.category, workspaceId, projectId)) {
      const policies = state === undefined ? none : policiesOf(state as AccessPolicies);
      isNow = matches(policies);
      if (isNow) found = policies;
    }
    return found && { policies: found, isNow };
  }

  private async *states(category: string, workspaceId: string, id: string): AsyncIterable<unknown> {
    const kind = recordKind(category);
    if (kind === undefined) return;
    let state = kind.initial;
    for await (const event of this.loader.history(streamOf(category, workspaceId, id))) {
      state = kind.evolve(state, event);
      yield state;
    }
  }
}
