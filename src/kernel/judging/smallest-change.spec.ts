import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import {
  conditionsOf,
  factSets,
  policySets,
  rules,
  soundConditions,
} from '../../../test/support/conditions/condition-arbitraries.js';
import { facts, noPolicies, person, policies } from '../../../test/support/conditions/condition-facts.js';
import { runs } from '../../../test/support/depth.js';
import { judge } from './judge.js';
import { type JudgedPart, joinedValue, judgedTree } from './judged-tree.js';
import { smallestChange } from './smallest-change.js';
import { opposite, type Value } from './value.js';

const signedIn = { type: 'authenticated' };
const role = (roleId: string) => ({ type: 'has_role', roleId });
const ofVisitor = facts({ place: 'function' });
const ofAda = facts({ place: 'function', person: person({ roleIds: ['a'] }) });
const tree = (condition: unknown, known = ofVisitor, set = noPolicies) => {
  const judged = judgedTree(condition, known, set);
  if (judged.kind !== 'tree') throw new Error(judged.kind);
  return judged.root;
};
const paths = (condition: unknown, known = ofVisitor, set = noPolicies) =>
  smallestChange(tree(condition, known, set))?.map(({ path, to }) => `${path} ${to}`);

describe('the smallest change', () => {
  test.each<readonly [string, unknown, readonly string[]]>([
    ['of one rule is that rule', signedIn, [' allowed']],
    ['of a list is one of its rules', [role('x'), signedIn], ['[0] allowed']],
    [
      'of a group that needs all is what is missing',
      { all: [role('x'), { not: signedIn }, role('y')] },
      ['all[0] allowed', 'all[2] allowed'],
    ],
    ['takes the shorter way', { any: [{ all: [role('x'), role('y')] }, role('z')] }, ['any[1] allowed']],
    [
      'counts a rule that stands twice once',
      { all: [{ any: [role('x'), signedIn] }, { any: [role('y'), signedIn] }] },
      ['all[0].any[1] allowed'],
    ],
  ])('the smallest change %s', (_, condition, expected) => {
    expect(paths(condition)).toEqual(expected);
  });

  it('of something allowed makes it denied', () => {
    expect(paths([role('a'), signedIn], ofAda)).toEqual(['[0] denied', '[1] denied']);
    expect(paths({ all: [role('a'), signedIn] }, ofAda)).toEqual(['all[0] denied']);
  });

  it('is found inside policies', () => {
    const set = policies({ members: { all: [signedIn, role('x')] } });
    expect(paths({ any: [{ policy: 'members' }, { not: { policy: 'members' } }] }, ofVisitor, set)).toBeUndefined();
    expect(paths({ policy: 'members' }, ofVisitor, set)).toEqual(['policy.all[0] allowed', 'policy.all[1] allowed']);
  });

  it('is none if no change of a rule helps', () => {
    expect(paths({ all: [signedIn, { not: signedIn }] })).toBeUndefined();
  });

  it('of many repeated rules is searched for a limited time only', () => {
    const pairs = Array.from({ length: 64 }, (_, n) => ({ any: [role(`r${n}`), { all: [role(`s${n}`), signedIn] }] }));
    const hard = { all: [...pairs, ...pairs] };
    const change = smallestChange(tree(hard));
    expect(change === undefined || change.length >= 64).toBe(true);
  });
});

function outcome(part: JudgedPart, now: ReadonlyMap<string, Value>): Value {
  if (part.kind === 'rule') return now.get(JSON.stringify(part.rule)) ?? part.outcome;
  const inner = part.parts.map((one) => outcome(one, now));
  if (part.kind === 'not') return opposite[inner[0] ?? 'fault'];
  return part.kind === 'policy' ? (inner[0] ?? 'fault') : joinedValue(part.kind, inner);
}

function rulesIn(part: JudgedPart, found = new Set<string>()): ReadonlySet<string> {
  if (part.kind === 'rule') found.add(JSON.stringify(part.rule));
  else for (const one of part.parts) rulesIn(one, found);
  return found;
}

function fewest(root: JudgedPart, wanted: Value): number | undefined {
  let least: number | undefined;
  const all = [...rulesIn(root)];
  const visit = (at: number, now: Map<string, Value>) => {
    const key = all[at];
    if (key === undefined) {
      if (outcome(root, now) === wanted && (least === undefined || now.size < least)) least = now.size;
      return;
    }
    visit(at + 1, now);
    for (const to of ['allowed', 'denied'] as const) {
      now.set(key, to);
      visit(at + 1, now);
      now.delete(key);
    }
  };
  visit(0, new Map());
  return least;
}

describe('property: of a small condition', () => {
  const small = fc.oneof(soundConditions, conditionsOf(rules));

  test('the tree agrees with the evaluator', () => {
    fc.assert(
      fc.property(small, factSets, policySets, (condition, known, set) => {
        const judged = judgedTree(condition, known, policies(set));
        const { outcome: expected } = judge(condition, known, policies(set));
        if (judged.kind === 'tree') expect(judged.root.outcome).toBe(expected);
        else expect(expected).toBe(judged.kind === 'no rules' ? 'denied' : 'fault');
      }),
      { numRuns: runs(3_000) },
    );
  });

  test('the change reverses the verdict, and none of fewer rules does', () => {
    let tried = 0;
    fc.assert(
      fc.property(small, factSets, policySets, (condition, known, set) => {
        const judged = judgedTree(condition, known, policies(set));
        if (judged.kind !== 'tree' || rulesIn(judged.root).size > 7) return;
        tried += 1;
        const { root } = judged;
        const wanted = root.outcome === 'allowed' ? 'denied' : 'allowed';
        const change = smallestChange(root);
        expect(change?.length).toBe(fewest(root, wanted));
        if (change === undefined) return;
        const now = new Map(change.map(({ rule, to }) => [JSON.stringify(rule), to] as const));
        expect(outcome(root, now)).toBe(wanted);
        for (const { from, to } of change) expect(from).not.toBe(to);
      }),
      { numRuns: runs(3_000) },
    );
    expect(tried).toBeGreaterThan(50);
  });
});
