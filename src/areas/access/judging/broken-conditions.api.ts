import type { Policies } from '../../../kernel/condition/condition.js';
import { expand } from '../../../kernel/condition/expansion.js';
import { chainFault, functionsNamed, longestFunctionChain } from '../../../kernel/condition/function-chain.js';
import { Measures } from '../../../kernel/condition/measures.js';
import type { Place } from '../../../kernel/condition/places.js';
import { readStored } from '../../../kernel/condition/read-condition.js';

export interface PlacedCondition {
  readonly place: Place;
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  readonly operation: string;
  readonly condition: unknown;
}

export interface Broken<One> {
  readonly one: One;
  readonly problem: string;
}

/**
 * Returns the first condition that cannot be judged with the policies `after`, but could be judged with the policies
 * `before`.
 */
export function firstBroken<One extends PlacedCondition>(
  conditions: readonly One[],
  before: Policies,
  after: Policies,
): Broken<One> | undefined {
  const wasWrong = wrongWith(conditions, before);
  const isWrong = wrongWith(conditions, after);
  for (const one of conditions) {
    const problem = isWrong(one);
    if (problem !== undefined && wasWrong(one) === undefined) return { one, problem };
  }
  return undefined;
}

export function wrongWith(
  conditions: readonly PlacedCondition[],
  policies: Policies,
): (one: PlacedCondition) => string | undefined {
  const rules = new Map(conditions.filter(({ kind }) => kind === 'function').map((one) => [one.id, one]));
  const asked = new Map<string, readonly string[]>();
  const measures = new Measures(policies);
  const named = (id: string): readonly string[] => {
    const known = asked.get(id);
    if (known !== undefined) return known;
    const found = asksFunctions(rules.get(id)?.condition)
      ? functionsNamed(rules.get(id)?.condition, 'function', policies)
      : [];
    asked.set(id, found);
    return found;
  };
  const asksFunctions = (condition: unknown): boolean => {
    const reading = readStored(condition);
    return reading.ok && measures.kindsOf(reading, 'function')?.has('function') === true;
  };
  return (one) => {
    const { place, id, condition } = one;
    if (condition === undefined || condition === null) return undefined;
    const reading = readStored(condition);
    if (!reading.ok) return sentence(reading.problems[0]);
    if (reading.root === undefined) return undefined;
    const saved = place === 'policy' ? id : undefined;
    const kinds = measures.kindsOf(reading, place, saved);
    if (kinds === undefined) {
      const expansion = expand(reading, place, policies, saved);
      if (!expansion.ok) return sentence(expansion.problem);
    }
    if (place === 'policy' || kinds?.has('function') === false) return undefined;
    const fault = chainFault(functionsNamed(condition, place, policies), named);
    if (fault === undefined) return undefined;
    const chain = fault.chain.map((fn) => rules.get(fn)?.name ?? fn).join(' → ');
    return fault.kind === 'circular'
      ? `its function rules would form a cycle: ${chain}`
      : `its function rules would form a chain of more than ${longestFunctionChain} functions: ${chain}`;
  };
}

const sentence = (problem: { readonly path: string; readonly message: string } | undefined) =>
  `${problem?.path || 'the condition'} ${problem?.message}`;
