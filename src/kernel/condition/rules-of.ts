import type { Condition, PolicyReference, Rule } from './condition.js';
import { pathWithin } from './path.js';

export interface PlacedRule {
  readonly rule: Rule;
  readonly path: string;
}

export function rulesOf(condition: Condition, path = ''): readonly PlacedRule[] {
  if (isList(condition)) return condition.flatMap((one, index) => rulesOf(one, `${path}[${index}]`));
  if ('type' in condition) return [{ rule: condition, path }];
  if ('policy' in condition) return [];
  if ('not' in condition) return rulesOf(condition.not, pathWithin(path, 'not'));
  const key = 'all' in condition ? 'all' : 'any';
  const parts = 'all' in condition ? condition.all : condition.any;
  return parts.flatMap((one, index) => rulesOf(one, `${pathWithin(path, key)}[${index}]`));
}

export const isList = (condition: Condition): condition is readonly (Rule | PolicyReference)[] =>
  Array.isArray(condition);
