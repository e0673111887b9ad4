import { Injectable } from '@nestjs/common';
import type { Call } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { Policies } from '../../../kernel/condition/condition.js';
import {
  type ChainFault,
  chainFault,
  functionsNamed,
  longestFunctionChain,
} from '../../../kernel/condition/function-chain.js';
import { ConditionHolders } from '../../access/judging/condition-holders.api.js';
import { SitePolicies } from '../../access/policy/site-policies.api.js';
import type { AccessRules, AccountFunction } from '../function/function.record.js';
import type { NamedFunction } from '../function/function-work.api.js';
import { refuse } from '../functions.refusals.js';

/** Functions that serve as access rules of one another. */
@Injectable()
export class GateChains {
  constructor(
    private readonly reads: Reads,
    private readonly policies: SitePolicies,
    private readonly holders: ConditionHolders,
  ) {}

  /**
   * Refuses an execute rule whose functions ask one another without end, and one that makes the rule of something else
   * so, because that one asks this function. A rule that could not be judged before keeps nobody from saving. Two such
   * saves at the same moment may both pass: what they make lets nobody in. @throws Refusal gate-chain
   */
  async check({ workspaceId }: Call, { id, projectId = '' }: NamedFunction, rules?: Partial<AccessRules>) {
    const policies = await this.policies.of(workspaceId, projectId);
    const first = functionsAskedBy(rules?.execute, policies);
    if (first.length === 0) return;
    const ofSite = await this.reads.find<AccountFunction>(workspaceId, 'siteFunctions', { where: { projectId } });
    const names = new Map(ofSite.map((fn) => [fn.id, fn.name]));
    const asks = new Map(ofSite.map((fn) => [fn.id, functionsAskedBy(fn.accessRules.execute, policies)]));
    const before = (fn: string) => asks.get(fn) ?? [];
    const after = (fn: string) => (fn === id ? first : before(fn));
    const mustEnd = (fault: ChainFault | undefined, of?: string) => {
      if (fault === undefined) return;
      const chain = fault.chain.map((asked) => names.get(asked) ?? asked);
      refuse('gate-chain', { limit: longestFunctionChain, chain, of }, { at: 'accessRules.execute' });
    };
    mustEnd(chainFault(first, after));
    for (const other of await this.holders.of(workspaceId, projectId)) {
      if (other.place === 'function' && other.id === id) continue;
      const asked = functionsNamed(other.condition, other.place, policies);
      if (chainFault(asked, before) !== undefined) continue;
      mustEnd(chainFault(asked, after), `the ${other.operation} rule of '${other.name}'`);
    }
  }
}

/** Those in the policies that it names included. */
export const functionsAskedBy = (condition: unknown, policies: Policies) =>
  functionsNamed(condition, 'function', policies);
