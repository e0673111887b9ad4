import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { Policies } from '../../../kernel/condition/condition.js';
import {
  type ChainFault,
  chainFault,
  functionsNamed,
  longestFunctionChain,
} from '../../../kernel/condition/function-chain.js';
import { StoredConditions } from '../../access/judging/condition-holders.api.js';
import { SitePolicies } from '../../access/policy/site-policies.api.js';
import type { AccessRules, FunctionDocument } from '../function/function.record.js';
import type { NamedFunction } from '../function/function-commands.api.js';
import { refuse } from '../functions.refusals.js';

@Injectable()
export class RuleCycles {
  constructor(
    private readonly reads: Reads,
    private readonly policies: SitePolicies,
    private readonly holders: StoredConditions,
  ) {}

  /**
   * Refuses an execute rule that leads to a circular or too long chain of function calls. Also checks all other rules
   * that call this function, except rules that were already faulty. Two concurrent saves can both pass although their
   * rules together are faulty; such rules admit no one.
   * @throws Refusal gate-chain
   */
  async check({ workspaceId }: OperationContext, { id, projectId = '' }: NamedFunction, rules?: Partial<AccessRules>) {
    const policies = await this.policies.of(workspaceId, projectId);
    const first = gatesOf(rules?.execute, policies);
    if (first.length === 0) return;
    const ofSite = await this.reads.find<FunctionDocument>(workspaceId, 'siteFunctions', { where: { projectId } });
    const names = new Map(ofSite.map((fn) => [fn.id, fn.name]));
    const asks = new Map(ofSite.map((fn) => [fn.id, gatesOf(fn.accessRules.execute, policies)]));
    const before = (fn: string) => asks.get(fn) ?? [];
    const after = (fn: string) => (fn === id ? first : before(fn));
    const mustEnd = (fault: ChainFault | undefined, of?: string) => {
      if (fault === undefined) return;
      const chain = fault.chain.map((asked) => names.get(asked) ?? asked);
      refuse('gate-chain', { limit: longestFunctionChain, chain, of }, { at: 'accessRules.execute' });
    };
    mustEnd(chainFault(first, after));
    for (const other of await this.holders.conditionsOf(workspaceId, projectId)) {
      if (other.place === 'function' && other.id === id) continue;
      const asked = functionsNamed(other.condition, other.place, policies);
      if (chainFault(asked, before) !== undefined) continue;
      mustEnd(chainFault(asked, after), `the ${other.operation} rule of '${other.name}'`);
    }
  }
}

export const gatesOf = (condition: unknown, policies: Policies) => functionsNamed(condition, 'function', policies);
