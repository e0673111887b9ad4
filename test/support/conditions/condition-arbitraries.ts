import fc from 'fast-check';
import type { Place } from '../../../src/kernel/condition/places.js';
import type { Facts, PersonFacts, RowFacts } from '../../../src/kernel/judging/facts.js';

/** There are only a few names, so that rules and facts often refer to the same ones. */
const names = fc.constantFrom('a', 'b', 'c', '__proto__');
const dates = fc.constantFrom('2030-01-01', '2030-01-01T01:00:00+01:00', '2030-06-01T12:00:00Z', '2029-02-29');
const scalars = fc.oneof(
  fc.constantFrom<string | number | boolean>('a', 'b', 'A', '', 'aba', 0, 1, 2, true, false),
  dates,
);
const values = fc.oneof(scalars, fc.array(scalars, { maxLength: 3 }), fc.constantFrom<unknown>(null, {}, { a: 1 }));
const addresses = fc.constantFrom('ada@example.com', 'Ada@Example.com', 'eve@example.com', '');

/** Generates objects as JSON.parse makes them, in which `__proto__` is an ordinary member. */
const members = (value: fc.Arbitrary<unknown>): fc.Arbitrary<Record<string, unknown>> =>
  fc
    .array(fc.tuple(names, value), { maxLength: 4 })
    .map((entries) => JSON.parse(`{${entries.map(([key, one]) => `"${key}":${JSON.stringify(one)}`).join()}}`));

const operands = fc.oneof(
  fc.tuple(fc.constantFrom('eq', 'ne', 'gt', 'gte', 'lt', 'lte'), fc.oneof(dates, fc.constantFrom('a', 'b', 1, 2))),
  fc.tuple(fc.constantFrom('in', 'nin'), fc.array(scalars, { minLength: 1, maxLength: 3 })),
  fc.tuple(fc.constant('contains'), fc.constantFrom<unknown>('a', 'b', 1)),
  fc.tuple(fc.constantFrom('isEmpty', 'isNotEmpty'), fc.constant(undefined)),
);
const comparisons = operands.map(([operator, value]) => (value === undefined ? { operator } : { operator, value }));

export const rules = fc.oneof(
  fc
    .constantFrom('site', 'everywhere', 'internet', 'Anyone on the internet')
    .map((scope) => ({ type: 'public', scope })),
  fc.constant({ type: 'authenticated' }),
  names.map((roleId) => ({ type: 'has_role', roleId })),
  {
    weight: 3,
    arbitrary: fc.tuple(names, comparisons).map(([property, rest]) => ({ type: 'user_property', property, ...rest })),
  },
  names.map((key) => ({ type: 'has_entitlement', key })),
  names.map((functionId) => ({ type: 'function', functionId })),
);

const rowRules = fc.oneof(
  fc.constant({ type: 'creator' }),
  fc.tuple(names, names).map(([field, property]) => ({ type: 'field_match', field, property })),
  names.map((path) => ({ type: 'relationship', path })),
  names.map((field) => ({ type: 'email', field })),
  fc
    .tuple(fc.constantFrom('eq', 'contains'), addresses)
    .map(([operator, value]) => ({ type: 'email', operator, value })),
);

/** Values that are not rules and must not be accepted as such. */
export const faulty = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    7,
    'authenticated',
    {},
    [],
    { all: [] },
    { any: [] },
    { not: {} },
    { not: [] },
    { type: 'is_friend' },
    { type: '__proto__' },
    { type: 'public', scope: 'all' },
    { type: 'authenticated', unless: 'banned' },
    { type: 'has_role' },
    { type: 'user_property', property: 'a', operator: 'like', value: 'a' },
    { type: 'user_property', property: 'a', operator: 'eq' },
    { type: 'user_property', property: 'a', operator: 'gt', value: true },
    { type: 'user_property', property: 'a', operator: 'in', value: [] },
    { all: [{ type: 'authenticated' }], any: [{ type: 'authenticated' }] },
    { policy: 'gone' },
    { policy: 7 },
  ),
  fc.anything({ maxDepth: 1 }).filter((value) => value !== undefined),
);

const policyIds = fc.constantFrom('p', 'q', 'r');

/** Generates conditions whose leaves come from `leaves`. */
export function conditionsOf(leaves: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const { condition } = fc.letrec((tie) => ({
    condition: fc.oneof(
      { maxDepth: 4, depthSize: 'medium' },
      leaves,
      fc.array(leaves, { minLength: 1, maxLength: 3 }),
      fc.array(tie('condition'), { minLength: 1, maxLength: 3 }).map((all) => ({ all })),
      fc.array(tie('condition'), { minLength: 1, maxLength: 3 }).map((any) => ({ any })),
      tie('condition').map((not) => ({ not })),
    ),
  }));
  return condition;
}

const references = policyIds.map((policy) => ({ policy }));

/** Conditions of rules that are allowed in most places, and of references to policies. */
export const soundConditions = conditionsOf(fc.oneof({ weight: 9, arbitrary: rules }, references));

/** Conditions that may contain anything, even values that are not rules. */
export const conditions = fc.oneof(
  { weight: 3, arbitrary: soundConditions },
  conditionsOf(fc.oneof({ weight: 9, arbitrary: rules }, { weight: 4, arbitrary: rowRules }, references)),
  conditionsOf(fc.oneof({ weight: 12, arbitrary: rules }, rowRules, faulty)),
  faulty,
);

/** The policies p, q and r. They may be missing, invalid, or refer to one another in a cycle. */
export const policySets = fc.oneof(
  fc.dictionary(policyIds, conditionsOf(rules), { minKeys: 3, noNullPrototype: true }),
  fc.dictionary(policyIds, conditions, { noNullPrototype: true }),
);

export const people: fc.Arbitrary<PersonFacts> = fc.record({
  id: fc.constantFrom('user_ada', 'user_eve'),
  email: fc.option(addresses),
  roleIds: fc.array(names, { maxLength: 2 }),
  entitlements: fc.array(
    fc.record({
      key: names,
      state: fc.constantFrom('granted', 'suspended', 'revoked'),
      expiresAt: fc.option(dates),
      graceUntil: fc.option(dates),
    }),
    { maxLength: 2 },
  ),
  properties: members(values),
});

const rows: fc.Arbitrary<RowFacts> = fc.record(
  {
    createdBy: fc.option(fc.constantFrom('user_ada', 'user_eve')),
    fields: members(fc.oneof(values, addresses)),
    related: fc
      .dictionary(names, fc.array(fc.constantFrom('user_ada', 'user_eve')))
      .map((ends) => new Map(Object.entries(ends))),
  },
  { requiredKeys: ['createdBy', 'fields'] },
);

const places: readonly Exclude<Place, 'policy'>[] = ['function', 'account-function', 'page', 'audience', 'env-var'];

export const factSets: fc.Arbitrary<Facts> = fc.record(
  {
    now: fc.constantFrom('2030-01-01', '2030-03-01', '2031-01-01').map((day) => Date.parse(day)),
    place: fc.oneof({ weight: 2, arbitrary: fc.constant('row' as const) }, fc.constantFrom(...places)),
    throughSite: fc.boolean(),
    person: people,
    row: rows,
    functions: fc
      .dictionary(names, fc.oneof({ weight: 4, arbitrary: fc.boolean() }, fc.constant('failed' as const)))
      .map((answers) => new Map<string, boolean | 'failed'>(Object.entries(answers))),
  },
  { requiredKeys: ['now', 'place', 'throughSite'] },
);
