import type { Policies } from './condition.js';
import { expand } from './expansion.js';
import type { Place } from './places.js';
import { readStored } from './read-condition.js';
import type { Part } from './reading.js';

/** Maximum number of functions in a chain. A chain arises when a function's execute rule names another function. */
export const longestFunctionChain = 4;

export interface ChainFault {
  readonly kind: 'circular' | 'too long';
  readonly chain: readonly string[];
}

/**
 * Includes functions that the condition's policies name. Returns none for a condition that cannot be evaluated, because
 * such a condition denies access without calling a function.
 */
export function functionsNamed(condition: unknown, place: Place, policies: Policies): readonly string[] {
  if (condition === undefined || condition === null) return [];
  const reading = readStored(condition);
  if (!reading.ok || reading.root === undefined) return [];
  const expansion = expand(reading, place, policies);
  if (!expansion.ok) return [];
  const named = new Set<string>();
  const entered = new Set<string>();
  const visit = (part: Part): void => {
    switch (part.kind) {
      case 'rule':
        if (part.rule.type === 'function') named.add(part.rule.functionId);
        break;
      case 'policy': {
        const root = expansion.policies.get(part.id)?.reading.root;
        if (root === undefined || entered.has(part.id)) break;
        entered.add(part.id);
        visit(root);
        break;
      }
      case 'not':
        visit(part.part);
        break;
      case 'all':
      case 'any':
      case 'list':
        for (const one of part.parts) visit(one);
    }
  };
  visit(reading.root);
  return [...named];
}

/**
 * Returns undefined if the chain is allowed (Sites supplement, Backend functions). `first` contains the functions that
 * a condition names; `named` returns those that a function's own execute rule names.
 */
export function chainFault(
  first: readonly string[],
  named: (functionId: string) => readonly string[],
): ChainFault | undefined {
  const longest = new Map<string, readonly string[]>();
  const open: string[] = [];

  const chainFrom = (id: string): readonly string[] | ChainFault => {
    const known = longest.get(id);
    if (known !== undefined) return known;
    if (open.includes(id)) return { kind: 'circular', chain: [...open, id] };
    if (open.length >= longestFunctionChain) return { kind: 'too long', chain: [...open, id] };
    open.push(id);
    let chain: readonly string[] = [];
    for (const next of named(id)) {
      const behind = chainFrom(next);
      if ('kind' in behind) return behind;
      if (behind.length > chain.length) chain = behind;
    }
    open.pop();
    longest.set(id, [id, ...chain]);
    return [id, ...chain];
  };

  for (const id of first) {
    const chain = chainFrom(id);
    if ('kind' in chain) return chain;
    if (chain.length > longestFunctionChain) return { kind: 'too long', chain };
  }
  return undefined;
}
