import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  conditions,
  conditionsOf,
  factSets,
  faulty,
  policySets,
  rules,
  soundConditions,
} from '../../../test/support/conditions/condition-arbitraries.js';
import { policies } from '../../../test/support/conditions/condition-facts.js';
import { expectedOutcome } from '../../../test/support/conditions/condition-oracle.js';
import { runs } from '../../../test/support/depth.js';
import { checkCondition } from '../condition/check-condition.js';
import type { Facts } from './facts.js';
import { judge } from './judge.js';

const numRuns = runs(1_000);

/** Returns the condition with its part number `at` replaced. Parts are numbered in order; the whole condition is 0. */
function changed(condition: unknown, at: number, change: (part: unknown) => unknown): unknown {
  let left = at;
  const visit = (part: unknown): unknown => {
    if (left-- === 0) return change(part);
    if (Array.isArray(part)) return part.map(visit);
    if (typeof part !== 'object' || part === null || 'type' in part || 'policy' in part) return part;
    const inside = (inner: unknown) => (Array.isArray(inner) ? inner.map(visit) : visit(inner));
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, inside(inner)]));
  };
  return visit(condition);
}

function countOf(condition: unknown): number {
  if (Array.isArray(condition)) return condition.reduce((sum, part) => sum + countOf(part), 1);
  if (typeof condition !== 'object' || condition === null || 'type' in condition || 'policy' in condition) return 1;
  const parts = Object.values(condition).flat();
  return parts.reduce((sum, part) => sum + countOf(part), 1);
}

/** Generates a valid condition and one of its parts. */
const withPart = soundConditions.chain((condition) =>
  fc.tuple(fc.constant(condition), fc.nat({ max: countOf(condition) - 1 })),
);
const soundSets = fc.dictionary(fc.constantFrom('p', 'q', 'r'), conditionsOf(rules), {
  minKeys: 3,
  noNullPrototype: true,
});

describe('the evaluator', () => {
  test('property: comes to what the plain reference comes to', () => {
    const seen = { allowed: 0, denied: 0, open: 0, fault: 0 };
    fc.assert(
      fc.property(conditions, factSets, policySets, (condition, facts, set) => {
        const known = policies(set);
        const { outcome, isAllowed } = judge(condition, facts, known);
        seen[outcome] += 1;
        expect(outcome).toBe(expectedOutcome(condition, facts, known));
        expect(isAllowed).toBe(outcome === 'allowed');
      }),
      { numRuns: 3_000 },
    );
    // Each of the four values must be frequent. Otherwise agreement would mean little.
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(25);
  });

  test('property: agrees with the reference where every part is sound', () => {
    fc.assert(
      fc.property(soundConditions, factSets, soundSets, (condition, facts, set) => {
        const known = policies(set);
        expect(judge(condition, facts, known).outcome).toBe(expectedOutcome(condition, facts, known));
      }),
      { numRuns },
    );
  });
});

describe('it fails closed', () => {
  test('property: whatever is no condition, put in the place of any part, keeps everybody out', () => {
    fc.assert(
      fc.property(withPart, faulty, factSets, soundSets, ([condition, at], fault, facts, set) => {
        const judged = judge(
          changed(condition, at, () => fault),
          facts,
          policies(set),
        );
        expect(judged.isAllowed).toBe(false);
      }),
      { numRuns },
    );
  });

  test('property: an unknown rule type beside any part, in any group, is a fault, under not as well', () => {
    const unknown = { type: 'is_friend' };
    const forms = fc.constantFrom<(part: unknown) => unknown>(
      (part) => ({ any: [part, unknown] }),
      (part) => ({ all: [unknown, part] }),
      (part) => ({ any: [part, { not: unknown }] }),
      (part) => ({ not: { all: [part, [unknown]] } }),
      (part) => ({ not: { not: { any: [unknown, part] } } }),
    );
    const nested = conditionsOf(rules).chain((condition) =>
      fc.tuple(fc.constant(condition), fc.nat({ max: countOf(condition) - 1 })),
    );
    fc.assert(
      fc.property(nested, forms, factSets, ([condition, at], form, facts) => {
        expect(judge(changed(condition, at, form), facts, policies()).outcome).toBe('fault');
      }),
      { numRuns },
    );
  });

  test('property: not of a fault is a fault', () => {
    fc.assert(
      fc.property(conditions, factSets, policySets, (condition, facts, set) => {
        const known = policies(set);
        if (judge(condition, facts, known).outcome !== 'fault') return;
        expect(judge({ not: condition }, facts, known).outcome).toBe('fault');
        expect(
          judge({ any: [{ type: 'public', scope: 'internet' }, { not: condition }] }, facts, known).isAllowed,
        ).toBe(false);
      }),
      { numRuns },
    );
  });

  test('property: a policy that goes away never lets anybody in who was kept out', () => {
    fc.assert(
      fc.property(
        soundConditions,
        factSets,
        soundSets,
        fc.constantFrom('p', 'q', 'r'),
        (condition, facts, set, gone) => {
          const { [gone]: _, ...rest } = set;
          const after = judge(condition, facts, policies(rest));
          if (after.isAllowed) expect(JSON.stringify(condition)).not.toContain(`"policy":"${gone}"`);
          else if (after.outcome !== 'fault')
            expect(after.outcome).toBe(judge(condition, facts, policies(set)).outcome);
        },
      ),
      { numRuns },
    );
  });

  test('property: a function that failed keeps everybody out, wherever its rule stands', () => {
    fc.assert(
      fc.property(conditionsOf(rules), factSets, (condition, facts) => {
        const failed = new Map([...'abc', '__proto__'].map((id) => [id, 'failed' as const]));
        const verdict = judge(condition, { ...facts, place: 'row', functions: failed }, policies());
        if (JSON.stringify(condition).includes('functionId')) expect(verdict.outcome).toBe('fault');
      }),
      { numRuns },
    );
  });
});

describe('the same is the same', () => {
  const mirrored = (condition: unknown): unknown => {
    if (Array.isArray(condition)) return condition.map(mirrored).reverse();
    if (typeof condition !== 'object' || condition === null || 'type' in condition) return condition;
    return Object.fromEntries(Object.entries(condition).map(([key, part]) => [key, mirrored(part)]));
  };

  test('property: in whatever order the parts stand', () => {
    fc.assert(
      fc.property(conditions, factSets, policySets, (condition, facts, set) => {
        const known = policies(set);
        expect(judge(mirrored(condition), facts, known).outcome).toBe(judge(condition, facts, known).outcome);
      }),
      { numRuns },
    );
  });

  test('property: written out or by way of a policy', () => {
    fc.assert(
      fc.property(withPart, factSets, soundSets, ([condition, at], facts, set) => {
        let part: unknown;
        const taken = changed(condition, at, (one) => {
          part = one;
          return { policy: 'taken' };
        });
        const before = judge(condition, facts, policies(set));
        expect(judge(taken, facts, policies({ ...set, taken: part })).outcome).toBe(before.outcome);
      }),
      { numRuns },
    );
  });

  test('property: denied twice, or as a list, any or all of one', () => {
    fc.assert(
      fc.property(soundConditions, factSets, soundSets, (condition, facts, set) => {
        const known = policies(set);
        const { outcome } = judge(condition, facts, known);
        for (const form of [{ not: { not: condition } }, { any: [condition] }, { all: [condition] }])
          expect(judge(form, facts, known).outcome).toBe(outcome);
      }),
      { numRuns },
    );
  });

  test('property: sent, checked and stored, or judged as it was sent', () => {
    fc.assert(
      fc.property(conditions, factSets, policySets, (condition, facts, set) => {
        const known = policies(set);
        const checked = checkCondition(condition, { place: facts.place, policies: known });
        const { outcome } = judge(condition, facts, known);
        if (checked.ok) expect(judge(checked.condition, facts, known).outcome).toBe(outcome);
        else if (condition !== null) expect(outcome).toBe('fault');
      }),
      { numRuns },
    );
  });
});

describe('asking functions', () => {
  /** Does what a caller of the evaluator does: calls the first function and evaluates again. */
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

  test('property: one after the other comes to what all answers at once come to, and ends', () => {
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

describe('the explanation', () => {
  test('property: names the parts that decided, and never a value of the caller or the row', () => {
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

  test('property: is enough to decide: with every other rule turned round, the outcome is the same', () => {
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

  /** Puts a `not` before each rule whose path is not in `deciding`. */
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
