import { describe, expect, it, test } from '@jest/globals';
import { facts, noPolicies, policies } from '../../../test/support/conditions/condition-facts.js';
import { judge } from '../judging/judge.js';
import { checkCondition, wrongPolicySet } from './check-condition.js';
import type { Policies } from './condition.js';
import type { Place } from './places.js';

interface Sized {
  readonly condition: unknown;
  readonly place?: Place;
  readonly policies?: Policies;
}

const rule = { type: 'authenticated' };
const many = (count: number, one: (n: number) => unknown = () => rule) =>
  Array.from({ length: count }, (_, n) => one(n));
const nested = (depth: number, inner: unknown) => many(depth).reduce((sum) => ({ not: sum }), inner);

function ruleOf(characters: number) {
  const made = (value: string) => ({ type: 'user_property', property: 'p', operator: 'eq', value });
  return made('x'.repeat(characters - JSON.stringify(made('')).length));
}

function listOf(characters: number) {
  const third = Math.floor((characters - 4) / 3);
  return [ruleOf(third), ruleOf(third), ruleOf(characters - 4 - 2 * third)];
}

const tooManyGroups = /at most 256 groups inside groups/;
const references = (ids: readonly string[]) => ({ any: ids.map((policy) => ({ policy })) });
const ids = (count: number) => many(count, (n) => `p${n}`) as string[];
const site = (count: number, condition: (n: number) => unknown) =>
  policies(Object.fromEntries(ids(count).map((id, n) => [id, condition(n)])));

const chain = (count: number) => site(count, (n) => (n === count - 1 ? rule : { policy: `p${n + 1}` }));

function spread(parts: number): Sized {
  const rest = parts - 1 - 20 * 901 - 1;
  return {
    condition: references([...Array(20).fill('p0'), 'p1']),
    policies: site(2, (n) => many((n === 0 ? 900 : rest) - 1)),
  };
}

function compared(characters: number): Sized {
  const rest = characters - 20 * 195_000;
  const values = (count: number) => ({
    type: 'user_property',
    property: 'p',
    operator: 'in',
    value: ['x'.repeat(count - 4)],
  });
  return {
    condition: { any: [values(rest), ...many(20, () => ({ policy: 'p0' }))] },
    policies: site(1, () => values(195_000)),
  };
}

function reached(characters: number): Sized {
  const last = characters - 13 * 295_000;
  return {
    condition: references(ids(14)),
    policies: site(14, (n) => listOf(n === 13 ? last : 295_000)),
  };
}

const limits: readonly (readonly [name: string, largest: Sized, tooLarge: Sized, path: string, message: RegExp])[] = [
  [
    'the condition of a resource has at most 256,000 characters',
    { condition: listOf(256_000) },
    { condition: listOf(256_001) },
    '',
    /at most 256000 characters/,
  ],
  [
    'a single rule has at most 256,000 characters',
    { condition: ruleOf(256_000) },
    { condition: ruleOf(256_001) },
    '',
    /at most 256000 characters/,
  ],
  [
    'a single rule of a policy has at most 256,000 characters',
    { place: 'policy', condition: { not: ruleOf(256_000) } },
    { place: 'policy', condition: { not: ruleOf(256_001) } },
    'not',
    /at most 256000 characters/,
  ],
  [
    'the condition of a policy has at most 300,000 characters',
    { place: 'policy', condition: listOf(300_000) },
    { place: 'policy', condition: listOf(300_001) },
    '',
    /at most 300000 characters/,
  ],
  [
    'a policy that is referred to has at most 300,000 characters',
    { condition: { policy: 'p0' }, policies: site(1, () => listOf(300_000)) },
    { condition: { policy: 'p0' }, policies: site(1, () => listOf(300_001)) },
    'policy',
    /the policy "p0", which is longer than 300000 characters/,
  ],
  [
    'policies nest at most 16 deep',
    { condition: { policy: 'p0' }, policies: chain(16) },
    { condition: { policy: 'p0' }, policies: chain(17) },
    'policy'.concat('.policy'.repeat(16)),
    /deeper than 16/,
  ],
  [
    'policies nest at most 16 deep, the one that is saved included',
    { place: 'policy', condition: { policy: 'p0' }, policies: chain(15) },
    { place: 'policy', condition: { policy: 'p0' }, policies: chain(16) },
    'policy'.concat('.policy'.repeat(15)),
    /deeper than 16/,
  ],
  [
    'a condition leads to at most 32 policies, however often to each',
    { condition: references([...ids(32), ...ids(32)]), policies: site(32, () => rule) },
    { condition: references([...ids(33)]), policies: site(33, () => rule) },
    'any[32].policy',
    /exceeds the 32 policies/,
  ],
  [
    'the policies that a condition leads to have at most 4,000,000 characters together',
    reached(4_000_000),
    reached(4_000_001),
    'any[13].policy',
    /exceed 4000000 characters together/,
  ],
  [
    'a condition has at most 20,000 parts, policies in their places',
    spread(20_000),
    spread(20_001),
    'any[20].policy',
    /at most 20000 parts/,
  ],
  [
    'a condition compares with at most 4,000,000 characters of values',
    compared(4_000_000),
    compared(4_000_001),
    'any[20].policy',
    /at most 4000000 characters of values/,
  ],
  [
    'at most 256 groups stand inside groups, however deep',
    { condition: nested(257, rule) },
    { condition: nested(258, rule) },
    'not'.concat('.not'.repeat(257)),
    tooManyGroups,
  ],
  [
    'at most 256 groups stand inside groups, side by side',
    { condition: { any: many(256, () => nested(1, rule)) } },
    { condition: { any: many(257, () => nested(1, rule)) } },
    'any[256].not',
    tooManyGroups,
  ],
  [
    'at most 256 groups stand inside groups, a list being none and what it leads to inside the group around it',
    { condition: { not: references(['p0']).any }, policies: site(1, () => nested(256, [rule])) },
    { condition: { not: references(['p0']).any }, policies: site(1, () => nested(257, [rule])) },
    'not[0].policy',
    tooManyGroups,
  ],
  [
    'at most 256 groups stand inside groups, those of policies each time that they are named',
    { condition: references(Array(32).fill('p0')), policies: site(1, () => nested(8, rule)) },
    { condition: references(Array(33).fill('p0')), policies: site(1, () => nested(8, rule)) },
    'any[32].policy',
    tooManyGroups,
  ],
  [
    'at most 256 groups stand inside groups, of policies of a list those that stand in their own',
    { condition: references(Array(32).fill('p0')).any, policies: site(1, () => nested(9, rule)) },
    { condition: references(Array(33).fill('p0')).any, policies: site(1, () => nested(9, rule)) },
    '[32].policy',
    tooManyGroups,
  ],
];

const check = ({ condition, place = 'row', policies: known = noPolicies }: Sized) =>
  checkCondition(condition, { place, policies: known });

describe.each(limits)('a condition is limited: %s', (_, largest, tooLarge, path, message) => {
  it('is saved at the limit and refused beyond it', () => {
    expect(check(largest)).toMatchObject({ ok: true });
    expect(check(tooLarge)).toEqual({ ok: false, problems: [{ path, message: expect.stringMatching(message) }] });
  });

  it('is judged at the limit and denies everyone beyond it, even under not', () => {
    const stored = ({ condition, place, policies: known = noPolicies }: Sized) => {
      const outer = policies({ saved: condition });
      return place === 'policy'
        ? judge({ policy: 'saved' }, facts(), (id) => outer(id) ?? known(id))
        : judge(condition, facts(), known);
    };
    expect(['allowed', 'denied']).toContain(stored(largest).outcome);
    expect(stored(tooLarge).outcome).toBe('fault');
    expect(stored(tooLarge).isAllowed).toBe(false);
  });
});

describe('the parts of one condition', () => {
  it('are counted first, before its policies', () => {
    const checked = check({ place: 'policy', condition: many(20_000) });
    expect(checked).toEqual({ ok: false, problems: [{ path: '', message: 'must have at most 20000 parts' }] });
  });
});

describe('the policies of a site', () => {
  test.each([
    ['200 policies', Array(200).fill(10), undefined],
    ['201 policies', Array(201).fill(10), 'A site has at most 200 policies.'],
    ['2,000,000 characters', [1_700_000, 300_000], undefined],
    ['2,000,001 characters', [1_700_001, 300_000], 'The policies of a site have at most 2000000 characters together.'],
    ['none', [], undefined],
  ])('a site may have %s, or gets the reason why not', (_, characters, wrong) => {
    expect(wrongPolicySet(characters)).toBe(wrong);
  });
});

describe('the work on policies', () => {
  it('ends, however often they refer to one another, and each is looked up once', () => {
    const asked: string[] = [];
    const known = site(16, (n) => references(Array(10).fill(n === 15 ? 'p15x' : `p${n + 1}`)));
    const counting: Policies = (id) => {
      asked.push(id);
      return id === 'p15x' ? { name: id, condition: rule } : known(id);
    };
    expect(judge({ policy: 'p0' }, facts(), counting).outcome).toBe('fault');
    expect(asked.length).toBeLessThanOrEqual(17);
    const wide = site(15, (n) => references(Array(10).fill(`p${Math.min(n + 1, 14)}`)).any);
    asked.length = 0;
    const ends: Policies = (id) => {
      asked.push(id);
      return id === 'p14' ? { name: id, condition: rule } : wide(id);
    };
    expect(judge({ policy: 'p0' }, facts(), ends).explain()[0]?.sentence).toMatch(/at most 20000 parts/);
    expect(asked).toHaveLength(15);
  });
});
