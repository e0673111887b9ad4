import { Injectable } from '@nestjs/common';
import type { Call } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/reads.js';
import { chainFault, functionsNamed, longestFunctionChain } from '../../../kernel/condition/function-chain.js';
import { refuse } from '../../../kernel/refusal.js';
import type { AccessRules, AccountFunction } from '../function/function.record.js';
import type { NamedFunction } from '../function/function-work.api.js';

/** Functions that serve as access rules of one another. */
@Injectable()
export class GateChains {
  constructor(private readonly reads: Reads) {}

  /**
   * Refuses an execute rule whose functions ask one another without end. Two such saves at the same moment may both pass:
   * what they make lets nobody in. @throws Refusal gate-chain
   */
  async check({ workspaceId }: Call, { id, projectId = '' }: NamedFunction, rules?: Partial<AccessRules>) {
    const first = functionsAskedBy(rules?.execute);
    if (first.length === 0) return;
    const ofSite = await this.reads.find<AccountFunction>(workspaceId, 'siteFunctions', { where: { projectId } });
    const byId = new Map(ofSite.map((fn) => [fn.id, fn.accessRules.execute]));
    const fault = chainFault(first, (asked) => functionsAskedBy(asked === id ? rules?.execute : byId.get(asked)));
    if (fault === undefined) return;
    const names = new Map(ofSite.map((fn) => [fn.id, fn.name]));
    refuse('gate-chain', { limit: longestFunctionChain, chain: fault.chain.map((asked) => names.get(asked) ?? asked) });
  }
}

/** Sites have no policies yet, so that a rule which names one asks nobody. */
export const functionsAskedBy = (condition: unknown) => functionsNamed(condition, 'function', () => undefined);
