import { describe, expect, it, test } from '@jest/globals';
import { facts, noPolicies, person, policies, row } from '../../../test/support/conditions/condition-facts.js';
import { checkCondition } from '../condition/check-condition.js';
import type { Facts } from './facts.js';
import { judge } from './judge.js';
import type { Value } from './value.js';

const yes = { type: 'public', scope: 'internet' };
const no = { type: 'authenticated' };
const open = { type: 'function', functionId: 'fn_1' };
const fault = { type: 'creator' };
const parts: Readonly<Record<Value, object>> = { allowed: yes, denied: no, open, fault };
const outcome = (condition: unknown, given: Partial<Facts> = {}, known = noPolicies): Value =>
  judge(condition, facts(given), known).outcome;

describe('no rules', () => {
  test.each([undefined, null, []])('%j: only the owner', (condition) => {
    const verdict = judge(condition, facts({ person: person() }), noPolicies);
    expect(verdict).toMatchObject({ outcome: 'denied', isAllowed: false });
    expect(verdict.explain()).toEqual([
      { path: '', outcome: 'denied', sentence: 'There are no rules, so only the owner has access.' },
    ]);
  });
});

describe('groups', () => {
  test.each<readonly [Value, Value, Value, Value]>([
    ['allowed', 'allowed', 'allowed', 'allowed'],
    ['allowed', 'denied', 'denied', 'allowed'],
    ['allowed', 'open', 'open', 'allowed'],
    ['allowed', 'fault', 'fault', 'fault'],
    ['denied', 'denied', 'denied', 'denied'],
    ['denied', 'open', 'denied', 'open'],
    ['denied', 'fault', 'fault', 'fault'],
    ['open', 'open', 'open', 'open'],
    ['open', 'fault', 'fault', 'fault'],
    ['fault', 'fault', 'fault', 'fault'],
  ])('%s and %s: all %s; any, and a list, %s', (one, other, all, any) => {
    for (const both of [
      [parts[one], parts[other]],
      [parts[other], parts[one]],
    ]) {
      expect(outcome({ all: both })).toBe(all);
      expect(outcome({ any: both })).toBe(any);
      expect(outcome(both)).toBe(any);
    }
  });

  test.each<readonly [Value, Value]>([
    ['allowed', 'denied'],
    ['denied', 'allowed'],
    ['open', 'open'],
    ['fault', 'fault'],
  ])('not of %s is %s', (inner, outer) => {
    expect(outcome({ not: parts[inner] })).toBe(outer);
    expect(outcome({ not: [parts[inner]] })).toBe(outer);
  });

  test.each([
    { all: [] },
    { any: [] },
    { not: {} },
    { not: [] },
    { not: { all: [] } },
    { not: { any: [] } },
    { any: [yes, { all: [] }] },
    [[yes]],
    [yes, { any: [yes] }],
    { all: yes },
    { all: [yes], any: [yes] },
    { any: [yes], unless: no },
  ])('%j, stored long ago: nobody is admitted', (condition) => {
    expect(outcome(condition, { person: person() })).toBe('fault');
  });
});

describe('a fault under not', () => {
  const faults: readonly (readonly [string, object, Partial<Facts>])[] = [
    ['an unknown type', { type: 'is_friend' }, {}],
    ['a type of the prototype', { type: 'toString' }, {}],
    ['a rule without its key', { type: 'has_role' }, {}],
    ['a rule with a member that we do not know', { type: 'authenticated', unless: 'banned' }, {}],
    ['an unknown operator', { type: 'user_property', property: 'p', operator: 'like', value: 'a' }, {}],
    ['an operand that does not fit', { type: 'user_property', property: 'p', operator: 'in', value: 'a' }, {}],
    ['a policy that is not there', { policy: 'gone' }, {}],
    ['a function that failed', open, { functions: new Map([['fn_1', 'failed']]) }],
    ['a row rule without a row', fault, {}],
    ['a rule that may not stand here', fault, { place: 'function', row: row() }],
  ];

  test.each(faults)('a fault under not remains a fault: %s', (_, part, given) => {
    for (const condition of [
      { not: part },
      { not: { not: part } },
      { any: [yes, { not: part }] },
      { not: { any: [part, yes] } },
      { not: { all: [no, { not: [part] }] } },
    ])
      expect(outcome(condition, { person: person(), ...given })).toBe('fault');
    const known = policies({ inner: { not: part } });
    expect(judge({ any: [yes, { policy: 'inner' }] }, facts({ person: person(), ...given }), known).outcome).toBe(
      'fault',
    );
  });
});

describe('policies', () => {
  it('mean their condition', () => {
    const known = policies({ open: [yes], shut: no, both: { all: [{ policy: 'open' }, { not: { policy: 'shut' } }] } });
    expect(outcome({ policy: 'open' }, {}, known)).toBe('allowed');
    expect(outcome({ policy: 'shut' }, {}, known)).toBe('denied');
    expect(outcome({ policy: 'both' }, {}, known)).toBe('allowed');
    expect(outcome({ policy: 'both' }, { person: person() }, known)).toBe('denied');
  });

  test.each<readonly [string, Readonly<Record<string, unknown>>, RegExp]>([
    ['that lead to themselves', { p: { any: [yes, { policy: 'p' }] } }, /refer back to the policy that contains it/],
    [
      'that lead round',
      { p: { policy: 'q' }, q: { not: { policy: 'p' } } },
      /refer back to the policy that contains it/,
    ],
    ['that are gone', {}, /none with this id/],
    ['that have no rules', { p: [] }, /has no rules/],
    ['that are nothing', { p: null }, /cannot be read/],
    [
      'that are older than the rules of today',
      { p: { type: 'vip' } },
      /the policy "p", whose condition cannot be read: type must be/,
    ],
  ])('%s admit nobody, and explain why', (_, set, sentence) => {
    for (const condition of [{ policy: 'p' }, { not: { policy: 'p' } }, [yes, { policy: 'p' }]]) {
      const verdict = judge(condition, facts(), policies(set));
      expect(verdict.outcome).toBe('fault');
      expect(verdict.explain()[0]?.sentence).toMatch(sentence);
    }
  });

  it('whose look-up throws admit nobody', () => {
    const verdict = judge({ not: { policy: 'p' } }, facts(), () => {
      throw new Error('the store says secret things');
    });
    expect(verdict.outcome).toBe('fault');
    expect(verdict.explain()[0]?.sentence).toMatch(/cannot be evaluated/);
    expect(JSON.stringify(verdict.explain())).not.toContain('secret');
  });

  it('have their present state: a change applies at once', () => {
    const condition = { policy: 'p' };
    expect(outcome(condition, {}, policies({ p: yes }))).toBe('allowed');
    expect(outcome(condition, {}, policies({ p: no }))).toBe('denied');
    expect(outcome(condition, {}, policies({}))).toBe('fault');
  });

  it('named like members of every object are ordinary policies', () => {
    const known = policies(JSON.parse('{"__proto__":{"type":"public","scope":"internet"}}'));
    expect(outcome({ policy: '__proto__' }, {}, known)).toBe('allowed');
    expect(outcome({ policy: 'constructor' }, {}, known)).toBe('fault');
  });
});

describe('places', () => {
  test.each<readonly [string, object, Partial<Facts>]>([
    ['a function rule on a page', open, { place: 'page', functions: new Map([['fn_1', true]]) }],
    ['creator on a function', { type: 'creator' }, { place: 'function' }],
    ['field_match on a function', { type: 'field_match', field: 'a', property: 'a' }, { place: 'function' }],
    ['relationship on an account function', { type: 'relationship', path: 'a' }, { place: 'account-function' }],
    ['email on a function', { type: 'email', field: 'a' }, { place: 'function' }],
    ['everywhere on an account function', { type: 'public', scope: 'everywhere' }, { place: 'account-function' }],
    ['public for an audience', yes, { place: 'audience' }],
    ['creator for an audience', { type: 'creator' }, { place: 'audience' }],
    ["a member's own address on a page", { type: 'email', operator: 'contains', value: 'ada' }, { place: 'page' }],
    ['a function rule on an environment variable', open, { place: 'env-var', functions: new Map([['fn_1', true]]) }],
  ])('%s, stored: denies everyone', (_, rule, given) => {
    const ada = person({ id: 'user_ada', properties: { a: 'x' } });
    const made = row({ createdBy: 'user_ada', fields: { a: 'x' }, related: new Map([['a', ['user_ada']]]) });
    const all = { person: ada, row: made, ...given };
    const known = policies({ p: rule });
    for (const condition of [rule, { not: rule }, [no, rule], { any: [no, { policy: 'p' }] }])
      expect(judge(condition, facts(all), known).outcome).toBe('fault');
  });
});

describe('the functions to ask', () => {
  const fn = (id: string) => ({ type: 'function', functionId: id });
  const asks = (condition: unknown, given: Partial<Facts> = {}) =>
    judge(condition, facts(given), policies({ p: { all: [yes, fn('in_policy')] } })).functionsToAsk();

  it('are those that can still decide, in order and once', () => {
    expect(asks({ any: [fn('b'), fn('a'), fn('b'), { policy: 'p' }] })).toEqual(['b', 'a', 'in_policy']);
    expect(asks({ any: [fn('a'), { all: [no, fn('b')] }] })).toEqual(['a']);
    expect(asks({ all: [{ not: fn('a') }, { any: [yes, fn('b')] }] })).toEqual(['a']);
  });

  it('are none if the rest decides', () => {
    expect(asks({ any: [fn('a'), yes] })).toEqual([]);
    expect(asks({ all: [fn('a'), no] })).toEqual([]);
    expect(asks([fn('a'), { policy: 'gone' }])).toEqual([]);
    expect(asks(fn('a'), { functions: new Map([['a', true]]) })).toEqual([]);
  });

  it('are none for an anonymous visitor who is admitted anyway', () => {
    const verdict = judge({ not: fn('a') }, facts(), noPolicies);
    expect(verdict).toMatchObject({ outcome: 'open', isAllowed: false });
  });
});

describe('a stored condition', () => {
  it('is parsed once: judging it again reads none of its members', () => {
    let reads = 0;
    const stored = {
      get type() {
        reads += 1;
        return 'authenticated';
      },
    };
    for (let n = 0; n < 3; n += 1) expect(outcome(stored, { person: person() })).toBe('allowed');
    expect(reads).toBe(1);
  });

  it('that was checked is judged as it was sent', () => {
    const checked = checkCondition([{ type: 'public', scope: 'Anyone on the internet' }], {
      place: 'page',
      policies: noPolicies,
    });
    if (!checked.ok) throw new Error('refused');
    expect(outcome(checked.condition, { place: 'page', throughSite: false })).toBe('allowed');
  });
});
