import type { Rule } from '../condition/condition.js';
import type { JudgedPart } from './judged-tree.js';
import type { Value } from './value.js';

const letters: Readonly<Record<Value, string>> = { allowed: 'a', denied: 'd', open: 'o', fault: 'f' };

/** Returns the outcomes of the distinct rules in the tree, as one letter each, in order of appearance. */
export function outcomesIn(root: JudgedPart): string {
  const seen = new Map<string, string>();
  const visit = (part: JudgedPart): void => {
    if (part.kind !== 'rule') {
      for (const one of part.parts) visit(one);
      return;
    }
    const key = keyOf(part.rule);
    if (!seen.has(key)) seen.set(key, letters[part.outcome]);
  };
  visit(root);
  return [...seen.values()].join('');
}

/**
 * The returned function must be called with the rules in the order of the condition. It returns undefined for an
 * outcome that was not stored.
 */
export function outcomesFrom(text: string): (rule: Rule) => Value | undefined {
  const numbers = new Map<string, number>();
  return (rule) => {
    const key = keyOf(rule);
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    return valueBy(text[number]);
  };
}

function valueBy(letter: string | undefined): Value | undefined {
  const values: readonly Value[] = ['allowed', 'denied', 'open', 'fault'];
  return values.find((value) => letters[value] === letter);
}

const keyOf = (rule: Rule) => JSON.stringify(rule);
