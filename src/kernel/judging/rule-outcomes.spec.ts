import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  conditions,
  factSets,
  policySets,
  rules,
  soundConditions,
} from '../../../test/support/conditions/condition-arbitraries.js';
import { policies } from '../../../test/support/conditions/condition-facts.js';
import type { Rule } from '../condition/condition.js';
import { judge } from './judge.js';
import { recordedTree } from './judged-tree.js';
import { outcomesFrom } from './rule-outcomes.js';
import { smallestChange } from './smallest-change.js';

test('property: the results of the rules give the tree with its verdict, and the smallest change reverses it', () => {
  const seen = { allowed: 0, denied: 0, open: 0, fault: 0, turned: 0, untold: 0 };
  fc.assert(
    fc.property(fc.oneof(soundConditions, conditions), factSets, policySets, (condition, facts, set) => {
      const known = policies(set);
      const verdict = judge(condition, facts, known);
      seen[verdict.outcome] += 1;
      const outcomes = verdict.outcomes();
      if (outcomes === undefined) {
        seen.untold += 1;
        expect(verdict.isAllowed).toBe(false);
        return;
      }
      const told = recordedTree(condition, facts.place, known, outcomesFrom(outcomes));
      if (told.kind !== 'tree') throw new Error(told.kind);
      expect(told.root.outcome).toBe(verdict.outcome);
      const change = smallestChange(told.root);
      if (change === undefined || verdict.isAllowed) return;
      const turned = new Map(change.map(({ rule, to }) => [JSON.stringify(rule), to]));
      const before = outcomesFrom(outcomes);
      const outcomeOf = (rule: Rule) => {
        const was = before(rule);
        return turned.get(JSON.stringify(rule)) ?? was;
      };
      const after = recordedTree(condition, facts.place, known, outcomeOf);
      expect(after.kind === 'tree' && after.root.outcome).toBe('allowed');
      seen.turned += 1;
    }),
    { numRuns: 3_000 },
  );
  expect(Object.entries(seen).filter(([, count]) => count < 3)).toEqual([]);
});

test('parts of a long condition that are not stored are open', () => {
  fc.assert(
    fc.property(fc.array(rules, { minLength: 2, maxLength: 5 }), (list) => {
      const told = recordedTree(list, 'function', policies(), outcomesFrom('d'));
      if (told.kind !== 'tree' || told.root.kind === 'rule') return;
      const [first] = told.root.parts;
      const kinds = told.root.parts.map((part) => part.kind === 'rule' && [JSON.stringify(part.rule), part.outcome]);
      expect(first?.outcome).toBe('denied');
      for (const one of kinds) if (one && kinds[0] && one[0] !== kinds[0][0]) expect(one[1]).toBe('open');
    }),
  );
});
