import { describe, expect, it, jest, test } from '@jest/globals';
import { facts, noPolicies, person, policies, row } from '../../../test/support/conditions/condition-facts.js';
import type { Facts } from './facts.js';
import { judge } from './judge.js';
import { Verdict } from './verdict.js';

const explain = (condition: unknown, given: Partial<Facts> = {}, set: Record<string, unknown> = {}) =>
  judge(condition, facts(given), policies(set)).explain();
const told = (condition: unknown, given: Partial<Facts> = {}, set: Record<string, unknown> = {}) =>
  explain(condition, given, set).map(({ path, sentence }) => [path, sentence]);

const signedIn = { type: 'authenticated' };
const staff = { type: 'has_role', roleId: 'staff' };
const adult = { type: 'user_property', property: 'age', operator: 'gte', value: 18 };

describe('an explanation', () => {
  test.each<readonly [object, Partial<Facts>, string]>([
    [{ type: 'public', scope: 'internet' }, {}, 'Everyone has access.'],
    [
      { type: 'public', scope: 'site' },
      { throughSite: false },
      'It is not true that the call comes through this site.',
    ],
    [signedIn, {}, 'It is not true that a user is signed in.'],
    [staff, { person: person({ roleIds: ['staff'] }) }, 'The person has the role "staff".'],
    [adult, { person: person() }, 'It is not true that the person\'s property "age" is at least 18.'],
    [
      { ...adult, operator: 'in', value: ['a', 'b'] },
      { person: person() },
      'It is not true that the person\'s property "age" is one of ["a","b"].',
    ],
    [
      { type: 'user_property', property: 'age', operator: 'isEmpty' },
      { person: person() },
      'The person\'s property "age" is empty.',
    ],
    [
      { type: 'has_entitlement', key: 'pro' },
      {},
      'It is not true that the person holds the entitlement "pro" at the moment.',
    ],
    [{ type: 'function', functionId: 'fn_1' }, {}, 'It is not yet known whether the function "fn_1" grants access.'],
    [
      { type: 'function', functionId: 'fn_1' },
      { functions: new Map([['fn_1', 'failed']]) },
      'It cannot be determined whether the function "fn_1" grants access.',
    ],
    [{ type: 'creator' }, {}, 'It cannot be determined whether the person created the row.'],
    [{ type: 'creator' }, { row: row({ createdBy: 'user_ada' }), person: person() }, 'The person created the row.'],
    [
      { type: 'field_match', field: 'team', property: 'group' },
      { row: row() },
      'It is not true that the row\'s field "team" is the person\'s property "group".',
    ],
    [
      { type: 'relationship', path: 'a.b' },
      { row: row() },
      'It is not true that the row\'s relationship "a.b" leads to the person.',
    ],
    [
      { type: 'email', field: 'contact' },
      { row: row() },
      'It is not true that the row\'s field "contact" is the person\'s address.',
    ],
    [
      { type: 'email', operator: 'contains', value: '@x' },
      { place: 'audience' },
      'It is not true that the person\'s address contains "@x".',
    ],
  ])('explains %j in a sentence', (rule, given, sentence) => {
    expect(explain(rule, given)).toEqual([
      { path: '', outcome: judge(rule, facts(given), noPolicies).outcome, sentence, rule },
    ]);
  });

  it('of a group names the parts that caused its result', () => {
    const condition = { all: [signedIn, { any: [staff, { not: adult }] }, [adult, staff]] };
    const young = person({ properties: { age: 12 } });
    expect(told(condition, { person: young })).toEqual([
      ['all[2][0]', 'It is not true that the person\'s property "age" is at least 18.'],
      ['all[2][1]', 'It is not true that the person has the role "staff".'],
    ]);
    expect(told({ any: [condition, { not: adult }] }, { person: young })).toEqual([
      ['any[1].not', 'It is not true that the person\'s property "age" is at least 18.'],
    ]);
  });

  it('shows a policy in place of its reference, by name', () => {
    const set = { p: [staff, { policy: 'q' }], q: { not: signedIn } };
    expect(told({ any: [{ policy: 'p' }] }, { person: person() }, set)).toEqual([
      ['any[0].policy[0]', 'In the policy "p": It is not true that the person has the role "staff".'],
      ['any[0].policy[1].policy.not', 'In the policy "q": A user is signed in.'],
    ]);
  });

  it('of something that cannot be judged states the fault and its path', () => {
    expect(told({ all: [signedIn, { type: 'vip' }] })).toEqual([
      [
        '',
        expect.stringMatching(
          /^The condition cannot be evaluated, so only the owner has access: all\[1\]\.type must be a rule type: .+\.$/,
        ),
      ],
    ]);
    expect(told({ not: { policy: 'gone' } })).toEqual([
      ['', expect.stringMatching(/: not\.policy must be the id of a policy/)],
    ]);
    expect(told([{ type: 'creator' }], { place: 'function' })).toEqual([
      ['', expect.stringMatching(/: \[0\] is a creator rule, which a function does not accept\.$/)],
    ]);
  });

  it('is short, on one line, and limited to a hundred reasons', () => {
    const long = { type: 'user_property', property: 'a\nb', operator: 'eq', value: 'x'.repeat(1_000) };
    const [[, sentence] = []] = told(long, { person: person() });
    expect(sentence?.length).toBeLessThan(200);
    expect(sentence).not.toContain('\n');
    const wide = { all: [Array(3_000).fill(staff), Array(3_000).fill(staff)] };
    expect(told(wide, { person: person() })).toHaveLength(100);
  });

  it('is computed when it is first requested, and once', () => {
    const why = jest.fn(() => [{ path: '', outcome: 'denied', sentence: 'No.' } as const]);
    const verdict = new Verdict('denied', why);
    expect(why).not.toHaveBeenCalled();
    expect(verdict.explain()).toBe(verdict.explain());
    expect(why).toHaveBeenCalledTimes(1);
  });

  it('does not throw if the facts have changed', () => {
    const changing = { ...facts(), person: person() };
    const verdict = judge(staff, changing, noPolicies);
    Object.assign(changing.person, { roleIds: null });
    expect(verdict.explain()).toEqual([
      { path: '', outcome: 'denied', sentence: 'The facts of this decision have changed since and cannot be read.' },
    ]);
  });
});
