import type { Policies } from './condition.js';
import { readStored } from './read-condition.js';
import type { Part } from './reading.js';

export interface ConditionReach {
  readonly policies: ReadonlySet<string>;
  readonly functions: ReadonlySet<string>;
}

/**
 * Unlike `functionsNamed`, also follows conditions that cannot be evaluated today, because a change may fix them. Never
 * throws, and visits each policy once.
 */
export function reachOf(conditions: readonly unknown[], policies: Policies): ConditionReach {
  const reached = { policies: new Set<string>(), functions: new Set<string>() };
  const visit = (part: Part): void => {
    switch (part.kind) {
      case 'rule':
        if (part.rule.type === 'function') reached.functions.add(part.rule.functionId);
        break;
      case 'policy':
        if (reached.policies.has(part.id)) break;
        reached.policies.add(part.id);
        enter(policies(part.id)?.condition);
        break;
      case 'not':
        visit(part.part);
        break;
      case 'all':
      case 'any':
      case 'list':
        for (const one of part.parts) visit(one);
    }
  };
  const enter = (condition: unknown): void => {
    if (condition === undefined || condition === null) return;
    const reading = readStored(condition);
    if (reading.ok && reading.root !== undefined) visit(reading.root);
  };
  for (const condition of conditions) enter(condition);
  return reached;
}
