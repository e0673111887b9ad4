import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  conditions,
  conditionsOf,
  factSets,
  policySets,
  rules,
  soundConditions,
} from '../../../test/support/conditions/condition-arbitraries.js';
import { policies } from '../../../test/support/conditions/condition-facts.js';
import { runs } from '../../../test/support/depth.js';
import type { Facts } from './facts.js';
import { judge } from './judge.js';

const numRuns = runs(1_000);
const soundSets = fc.dictionary(fc.constantFrom('p', 'q', 'r'), conditionsOf(rules), {
  minKeys: 3,
  noNullPrototype: true,
});

describe('function rules', () => {
  function driven(
    condition: unknown,
    facts: Facts,
    set: Record<string, unknown>,
    answers: ReadonlyMap<string, boolean>,
  ) {
    let functions = new Map<string, boolean>();
    for (;;) {
      const verdict = judge(condition, { ...facts, functions }, policies(set));
      const [next] = verdict.functionsToAsk();
      if (next === undefined) return { verdict, asked: functions.size };
      expect(functions.has(next)).toBe(false);
      functions = new Map([...functions, [next, answers.get(next) === true]]);
    }
  }

  test('property: one after the other have the same result as all answers at once, and end', () => {
    const ids = ['a', 'b', 'c', '__proto__'];
    fc.assert(
      fc.property(
        soundConditions,
        factSets,
        soundSets,
        fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
        (condition, given, set, bits) => {
          const facts: Facts = { ...given, place: 'row' };
          const answers = new Map(ids.map((id, n) => [id, bits[n] === true]));
          const { verdict, asked } = driven(condition, facts, set, answers);
          expect(asked).toBeLessThanOrEqual(ids.length);
          expect(verdict.outcome).toBe(judge(condition, { ...facts, functions: answers }, policies(set)).outcome);
          expect(verdict.outcome).not.toBe('open');
        },
      ),
      { numRuns },
    );
  });
});

describe('the explanation of a verdict', () => {
  test('property: names the deciding parts, and never a value of the caller or the row', () => {
    const secret = 'a value of theirs';
    fc.assert(
      fc.property(conditions, factSets, policySets, (condition, given, set) => {
        const { person, row } = given;
        const facts: Facts = {
          ...given,
          ...(person && { person: { ...person, properties: { ...person.properties, a: secret }, email: secret } }),
          ...(row && { row: { ...row, fields: { ...row.fields, b: secret } } }),
        };
        const verdict = judge(condition, facts, policies(set));
        const reasons = verdict.explain();
        expect(reasons.length).toBeGreaterThan(0);
        for (const { sentence } of reasons) {
          expect(sentence).toMatch(/^[A-Z].*\.$/s);
          expect(sentence).not.toContain(secret);
        }
        if (verdict.outcome === 'open') expect(verdict.functionsToAsk().length).toBeGreaterThan(0);
        else expect(verdict.functionsToAsk()).toEqual([]);
      }),
      { numRuns },
    );
  });

  test('property: is sufficient: with every other rule reversed, the outcome is the same', () => {
    fc.assert(
      fc.property(conditionsOf(rules), factSets, (condition, given) => {
        const facts: Facts = { ...given, place: 'row' };
        const verdict = judge(condition, facts, policies());
        if (verdict.outcome !== 'allowed' && verdict.outcome !== 'denied') return;
        const deciding = new Set(verdict.explain().map(({ path }) => path));
        expect(judge(turned(condition, '', deciding), facts, policies()).outcome).toBe(verdict.outcome);
      }),
      { numRuns },
    );
  });

  function turned(condition: unknown, path: string, deciding: ReadonlySet<string>): unknown {
    const below = (key: string) => (path === '' ? key : `${path}.${key}`);
    const each = (parts: readonly unknown[], at: string) =>
      parts.map((part, n) => turned(part, `${at}[${n}]`, deciding));
    if (Array.isArray(condition)) return { any: each(condition, path) };
    const one = condition as Readonly<Record<string, unknown>>;
    if ('type' in one) return deciding.has(path) ? one : { not: one };
    if ('not' in one) return { not: turned(one['not'], below('not'), deciding) };
    const key = 'all' in one ? 'all' : 'any';
    return { [key]: each(one[key] as readonly unknown[], below(key)) };
  }
});
