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
import { judge } from './judge.js';

const numRuns = runs(1_000);

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

const withPart = soundConditions.chain((condition) =>
  fc.tuple(fc.constant(condition), fc.nat({ max: countOf(condition) - 1 })),
);
const soundSets = fc.dictionary(fc.constantFrom('p', 'q', 'r'), conditionsOf(rules), {
  minKeys: 3,
  noNullPrototype: true,
});

describe('the evaluator', () => {
  test('property: agrees with the plain reference', () => {
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
    // All four outcomes must have occurred often; otherwise the agreement would have been tested for some of them only.
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(25);
  });

  test('property: agrees with the reference if every part is valid', () => {
    fc.assert(
      fc.property(soundConditions, factSets, soundSets, (condition, facts, set) => {
        const known = policies(set);
        expect(judge(condition, facts, known).outcome).toBe(expectedOutcome(condition, facts, known));
      }),
      { numRuns },
    );
  });
});

describe('the evaluator fails closed', () => {
  test('property: anything invalid in place of any part denies everyone', () => {
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

  test('property: deleting a policy never admits anybody who was denied', () => {
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

  test('property: a function that failed denies everyone, wherever its rule is', () => {
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

describe('the result does not depend on', () => {
  const mirrored = (condition: unknown): unknown => {
    if (Array.isArray(condition)) return condition.map(mirrored).reverse();
    if (typeof condition !== 'object' || condition === null || 'type' in condition) return condition;
    return Object.fromEntries(Object.entries(condition).map(([key, part]) => [key, mirrored(part)]));
  };

  test('property: the order of the parts', () => {
    fc.assert(
      fc.property(conditions, factSets, policySets, (condition, facts, set) => {
        const known = policies(set);
        expect(judge(mirrored(condition), facts, known).outcome).toBe(judge(condition, facts, known).outcome);
      }),
      { numRuns },
    );
  });

  test('property: whether it is written out or in a policy', () => {
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

  test('property: a double negation, a list, or any or all of a single part', () => {
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

  test('property: whether it is sent, checked and stored, or judged as it was sent', () => {
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
