import { describe, expect, it, test } from '@jest/globals';
import { noPolicies, policies } from '../../../test/support/conditions/condition-facts.js';
import { checkCondition, type Setting } from './check-condition.js';
import { operators } from './operators.js';
import type { Place } from './places.js';

const onRow: Setting = { place: 'row', policies: noPolicies };
const check = (sent: unknown, setting: Partial<Setting> = {}) => checkCondition(sent, { ...onRow, ...setting });
const problems = (sent: unknown, setting: Partial<Setting> = {}) => {
  const checked = check(sent, setting);
  return checked.ok ? [] : checked.problems;
};
const known = policies({ pol_staff: [{ type: 'has_role', roleId: 'r' }] });

const rules = {
  public: { type: 'public', scope: 'everywhere' },
  authenticated: { type: 'authenticated' },
  has_role: { type: 'has_role', roleId: 'role_1' },
  user_property: { type: 'user_property', property: 'age', operator: 'gte', value: 18 },
  has_entitlement: { type: 'has_entitlement', key: 'member' },
  function: { type: 'function', functionId: 'fn_1' },
  creator: { type: 'creator' },
  field_match: { type: 'field_match', field: 'team', property: 'team' },
  relationship: { type: 'relationship', path: 'project.members' },
  email: { type: 'email', field: 'contact' },
};
const ownEmail = { type: 'email', operator: 'contains', value: '@example.com' };
const comparison = (operator: string) => ({
  operator,
  ...(operator.startsWith('is') ? {} : { value: operator.endsWith('in') ? ['a', 'b'] : 'a' }),
});

describe('a condition is accepted', () => {
  test.each(Object.entries(rules))('as a single %s rule', (_, rule) => {
    expect(check(rule)).toEqual({ ok: true, condition: rule, characters: JSON.stringify(rule).length });
  });

  test.each([...operators])('with the operator %s', (operator) => {
    const rule = { type: 'user_property', property: 'p', ...comparison(operator) };
    expect(check(rule)).toMatchObject({ ok: true, condition: rule });
  });

  test.each<readonly [string, unknown]>([
    ['a flat list', [rules.authenticated, rules.has_role]],
    ['a list with a policy in it', [rules.authenticated, { policy: 'pol_staff' }]],
    ['an empty list, which is nobody but the owner', []],
    ['all', { all: [rules.authenticated, rules.has_role] }],
    ['any', { any: [rules.authenticated] }],
    ['not', { not: rules.has_role }],
    ['not of a list', { not: [rules.has_role, rules.authenticated] }],
    ['a policy', { policy: 'pol_staff' }],
    ['groups in groups', { all: [{ any: [rules.creator, { not: { policy: 'pol_staff' } }] }, [rules.authenticated]] }],
  ])('as %s', (_, sent) => {
    expect(check(sent, { policies: known })).toMatchObject({ ok: true, condition: sent });
  });

  test.each([
    ['everywhere', 'everywhere'],
    ['Anyone, everywhere', 'everywhere'],
    ['site', 'site'],
    ['Only through this site', 'site'],
    ['internet', 'internet'],
    ['Anyone on the internet', 'internet'],
  ])('with the level %j, stored as %s', (scope, stored) => {
    expect(check([{ type: 'public', scope }])).toMatchObject({ condition: [{ type: 'public', scope: stored }] });
  });

  it("as a comparison of a member's own address, with eq by default", () => {
    expect(check(ownEmail, { place: 'audience' })).toMatchObject({ condition: ownEmail });
    expect(check({ type: 'email', value: 'ada@example.com' }, { place: 'audience' })).toMatchObject({
      condition: { type: 'email', operator: 'eq', value: 'ada@example.com' },
    });
  });

  it('and is returned deeply frozen, as a copy of what was sent', () => {
    const sent = {
      all: [{ type: 'user_property', property: 'p', operator: 'in', value: ['a'] }, { not: [rules.creator] }],
    };
    const checked = check(sent);
    if (!checked.ok) throw new Error('refused');
    const frozen = (value: unknown): boolean =>
      typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(frozen));
    expect(frozen(checked.condition)).toBe(true);
    sent.all.pop();
    expect(checked.condition).toMatchObject({ all: [{}, { not: [{ type: 'creator' }] }] });
  });
});

describe('a condition is refused', () => {
  test.each<readonly [string, unknown, string, RegExp]>([
    ['that is nothing', undefined, '', /must be a rule/],
    ['that is null', null, '', /must be a rule/],
    ['that is a text', 'authenticated', '', /must be a rule/],
    ['that is a number', 7, '', /must be a rule/],
    ['that is true', true, '', /must be a rule/],
    ['that is an empty object', {}, '', /must be a rule/],
    ['of unknown members only', { rules: [] }, '', /must be a rule/],
    ['with an unknown type', { type: 'is_friend' }, 'type', /must be a rule type: public, authenticated/],
    ['with a type that is no text', { type: ['public'] }, 'type', /must be a rule type/],
    ['with a type from the prototype', { type: 'constructor' }, 'type', /must be a rule type/],
    ['with an unknown type inside', { all: [rules.creator, { type: 'x' }] }, 'all[1].type', /must be a rule type/],
    ['with a list in a list', [[rules.creator]], '[0]', /a list is flat/],
    ['with a group in a list', [rules.creator, { any: [rules.creator] }], '[1]', /a list is flat/],
    ['with null in a list', [null], '[0]', /must be a rule/],
    ['with an empty all', { all: [] }, 'all', /must not be empty/],
    ['with an empty any', { any: [] }, 'any', /must not be empty/],
    ['with an empty list inside', { all: [[]] }, 'all[0]', /must not be empty/],
    ['with an empty not', { not: {} }, 'not', /must be a rule/],
    ['with not of an empty list', { not: [] }, 'not', /must not be empty/],
    ['with all that is no list', { all: rules.creator }, 'all', /must be a list/],
    ['with two groups in one', { all: [rules.creator], any: [rules.creator] }, 'any', /must not be combined with all/],
    ['with a group beside a policy', { policy: 'pol_staff', not: rules.creator }, 'not', /combined with policy/],
    ['with a group beside a type', { type: 'creator', all: [] }, 'all', /not a member of this rule/],
    ['with an unknown member of a group', { any: [rules.creator], name: 'x' }, 'name', /combined with any/],
    [
      'with a member named __proto__',
      JSON.parse('{"all":[{"type":"creator"}],"__proto__":{}}'),
      '__proto__',
      /combined with/,
    ],
    ['with a policy that is no text', { policy: 7 }, 'policy', /must be a text/],
    ['with an empty policy id', { policy: '' }, 'policy', /must not be empty/],
    ['with a policy that is not there', { not: { policy: 'gone' } }, 'not.policy', /there is none with this id/],
  ])('refuses a condition %s', (_, sent, path, message) => {
    expect(problems(sent, { policies: known })).toEqual([{ path, message: expect.stringMatching(message) }]);
  });

  test.each(Object.entries(rules))('with an additional member in %s', (_, rule) => {
    const message = 'is not a member of this rule';
    expect(problems([{ ...rule, unless: 'x' }])).toEqual([{ path: '[0].unless', message }]);
    expect(problems(JSON.parse(JSON.stringify(rule).replace('{', '{"__proto__":{"scope":"site"},')))).toEqual([
      { path: '__proto__', message },
    ]);
  });

  test.each<readonly [keyof typeof rules, string]>([
    ['has_role', 'roleId'],
    ['user_property', 'property'],
    ['has_entitlement', 'key'],
    ['function', 'functionId'],
    ['field_match', 'field'],
    ['field_match', 'property'],
    ['relationship', 'path'],
    ['email', 'field'],
  ])('with %s whose %s is not a name', (type, key) => {
    const rule = (value: unknown) => ({ all: [{ ...rules[type], [key]: value }] });
    const path = `all[0].${key}`;
    expect(problems(rule('x'.repeat(200)))).toEqual([]);
    expect(problems(rule('x'.repeat(201)))).toEqual([{ path, message: 'must be at most 200 characters' }]);
    expect(problems(rule(''))).toEqual([{ path, message: 'must not be empty' }]);
    for (const value of [null, 7, ['x'], { toString: 1, valueOf: 1 }])
      expect(problems(rule(value))).toEqual([{ path, message: 'must be a text' }]);
    if (type === 'email') return;
    const { [key]: _, ...without } = rules[type] as Record<string, unknown>;
    expect(problems(without)).toEqual([{ path: key, message: 'is required and must be a text' }]);
  });

  test.each([undefined, null, '', 'Everywhere', 'toString', ['site'], { site: true }])('with the level %j', (scope) => {
    const sent = scope === undefined ? { type: 'public' } : { type: 'public', scope };
    expect(problems(sent)).toEqual([
      {
        path: 'scope',
        message: 'must state the level: everywhere, site (only through this site) or internet (anyone on the internet)',
      },
    ]);
  });

  test.each([undefined, null, '', 'EQ', 'equals', '__proto__', 'hasOwnProperty', 7])(
    'with the operator %j',
    (operator) => {
      const sent = {
        type: 'user_property',
        property: 'p',
        ...(operator === undefined ? {} : { operator }),
        value: 'a',
      };
      expect(problems(sent)).toEqual([
        { path: 'operator', message: expect.stringMatching(/must be an operator: eq, ne/) },
      ]);
    },
  );

  test.each([...operators])('with %s and an unsuitable operand', (operator) => {
    const value = operator.startsWith('is') ? 'a' : { a: 1 };
    expect(problems([{ type: 'user_property', property: 'p', operator, value }])).toEqual([
      { path: '[0].value', message: expect.stringMatching(/^must /) },
    ]);
  });

  it('with null for the operator of an address', () => {
    expect(problems({ type: 'email', operator: null, value: 'a' }, { place: 'audience' })).toEqual([
      { path: 'operator', message: expect.stringMatching(/must be an operator/) },
    ]);
  });

  it('with a row email that also compares', () => {
    expect(problems({ ...ownEmail, field: 'contact' })).toEqual([
      { path: 'operator', message: 'is not a member of this rule' },
      { path: 'value', message: 'is not a member of this rule' },
    ]);
  });

  it('with all faults, up to twenty', () => {
    expect(problems({ any: [{ type: 'x' }, rules.creator, { type: 'has_role' }] }).map(({ path }) => path)).toEqual([
      'any[0].type',
      'any[2].roleId',
    ]);
    expect(problems(Array(100).fill({ type: 'x' }))).toHaveLength(20);
    expect(problems([...Array(19).fill({ type: 'x' }), { type: 'creator', a: 1, b: 2, c: 3 }])).toHaveLength(20);
    expect(
      problems(Object.fromEntries([['type', 'creator'], ...Array.from({ length: 100 }, (_, n) => [`k${n}`, n])])),
    ).toHaveLength(20);
  });

  it('with a key of the sender shown briefly and on one line', () => {
    const [problem] = problems({ type: 'creator', [`a\nb${'x'.repeat(1_000)}`]: 1 });
    expect(problem?.path).toMatch(/^"a\\nbx{1,60}"$/);
  });

  it('that is an empty list, for a policy', () => {
    expect(problems([], { place: 'policy' })).toEqual([{ path: '', message: 'must not be empty' }]);
  });
});

const rowRules = [rules.creator, rules.field_match, rules.relationship, rules.email];
const identity = [rules.authenticated, rules.has_role, rules.user_property, rules.has_entitlement];
const atSite = { type: 'public', scope: 'site' };
const onInternet = { type: 'public', scope: 'internet' };
const every = [...identity, atSite, onInternet, rules.public, rules.function, ...rowRules, ownEmail];

const rowless = [...identity, atSite, onInternet, rules.public, rules.function];

const places: Readonly<Record<Place, readonly object[]>> = {
  page: [...identity, atSite, onInternet, rules.public],
  function: rowless,
  'account-function': [...identity, atSite, onInternet, rules.function],
  email: rowless,
  channel: rowless,
  proxy: rowless,
  row: every.filter((rule) => rule !== ownEmail),
  table: every.filter((rule) => rule !== ownEmail && rule !== rules.function),
  audience: [...identity, ownEmail],
  'env-var': [...identity, atSite, onInternet, rules.public],
  policy: every,
};

describe.each(Object.keys(places) as Place[])('in the place %s', (place) => {
  test.each(every)('%j is accepted or refused, also in a group and through a policy', (rule) => {
    const refused = (path: string) =>
      places[place].includes(rule)
        ? []
        : [{ path, message: expect.stringMatching(/^is an? .+, which .+ does not accept$/) }];
    expect(problems(rule, { place })).toEqual(refused(''));
    expect(problems({ all: [rules.authenticated, { not: [rule] }] }, { place })).toEqual(refused('all[1].not[0]'));
    const through = policies({ outer: { not: { policy: 'inner' } }, inner: [rules.authenticated, rule] });
    const sent = { any: [{ policy: 'outer' }] };
    expect(problems(sent, { place, policies: through })).toEqual(refused('any[0].policy.not.policy[1]'));
  });
});

describe('among several rules that may not be in a place', () => {
  it('the first is named', () => {
    const sent = [rules.authenticated, rules.function, rules.function];
    expect(problems(sent, { place: 'page' })).toMatchObject([{ path: '[1]' }]);
  });
});

describe('policies', () => {
  it('that lead back to the saved one are refused, directly and through others', () => {
    const around = policies({ a: { policy: 'b' }, b: { not: { policy: 'c' } }, c: rules.creator });
    const message = 'must not refer back to the policy that contains it';
    const saving = (sent: unknown, policyId: string) => problems(sent, { place: 'policy', policies: around, policyId });
    expect(saving({ policy: 'c' }, 'c')).toEqual([{ path: 'policy', message }]);
    expect(saving([{ policy: 'a' }], 'c')).toEqual([{ path: '[0].policy.policy.not.policy', message }]);
    expect(saving({ policy: 'c' }, 'a')).toEqual([]);
    expect(saving({ policy: 'a' }, 'new')).toEqual([]);
  });

  it('that are invalid themselves are refused by name', () => {
    const broken = policies({
      unreadable: { all: [{ type: 'x' }] },
      empty: [],
      dangling: { policy: 'gone' },
    });
    const message = (id: string) => problems({ policy: id }, { policies: broken })[0]?.message;
    expect(message('unreadable')).toMatch(
      /^refers to the policy "unreadable", whose condition cannot be read: all\[0\]\.type/,
    );
    expect(message('empty')).toBe('refers to the policy "empty", which has no rules');
    expect(problems({ policy: 'dangling' }, { policies: broken })).toEqual([
      { path: 'policy.policy', message: expect.stringMatching(/there is none with this id/) },
    ]);
  });

  it('may be referred to twice side by side', () => {
    expect(problems([{ policy: 'pol_staff' }, { policy: 'pol_staff' }], { policies: known })).toEqual([]);
  });
});
