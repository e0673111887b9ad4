// Decisions of the condition evaluator, in process, which every page view and function call needs first.
import { scaled } from '../support/scale.mjs';
import { table } from '../support/table.mjs';

const kernel = '../../dist/src/kernel';

/** Number of decisions: for small conditions, for the largest, and for other very large ones. */
const [many, few, fewest] = [scaled(200_000, 100), scaled(300, 2), scaled(30)];

const rules = [
  { type: 'authenticated' },
  { type: 'has_role', roleId: 'role_3' },
  { type: 'has_role', roleId: 'role_nobody_has' },
  { type: 'has_entitlement', key: 'member' },
  { type: 'has_entitlement', key: 'lapsed' },
  { type: 'user_property', property: 'plan', operator: 'in', value: ['pro', 'team', 'enterprise'] },
  { type: 'user_property', property: 'age', operator: 'gte', value: 18 },
  { type: 'user_property', property: 'joined', operator: 'lt', value: '2030-01-01' },
  { type: 'user_property', property: 'tags', operator: 'contains', value: 'beta' },
  { type: 'user_property', property: 'missing', operator: 'isEmpty' },
];

const facts = {
  now: Date.parse('2030-06-01T00:00:00Z'),
  place: 'page',
  throughSite: true,
  person: {
    id: 'user_1',
    email: 'ada@example.com',
    roleIds: ['role_1', 'role_2', 'role_3'],
    entitlements: [
      { key: 'lapsed', state: 'granted', expiresAt: '2030-01-01T00:00:00Z', graceUntil: null },
      { key: 'member', state: 'granted', expiresAt: '2031-01-01T00:00:00Z', graceUntil: null },
    ],
    properties: { plan: 'team', age: 41, joined: '2028-03-01T09:30:00Z', tags: ['alpha', 'beta'] },
  },
};

const twenty = { all: [{ any: rules }, { all: rules.slice(0, 5) }, { not: { any: rules.slice(5) } }] };
const inPolicies = { any: [{ policy: 'half' }, { not: { policy: 'half' } }, ...rules.slice(0, 2)] };

/**
 * A policy set of 20,000 parts: a group with 28 references, and behind each a list of 713 rules, or of 692 at the end.
 */
function largest(rule) {
  const many = (count) => ({ name: `of ${count}`, condition: Array.from({ length: count }, (_, at) => rule(at)) });
  const policies = new Map([...Array(14).keys()].map((at) => [`p${at}`, many(713)]));
  policies.set('last', many(19_999 - 27 * 715 - 2));
  const ids = [...policies.keys()].filter((id) => id !== 'last');
  const any = [...ids, ...ids.slice(1), 'last'].map((policy) => ({ policy }));
  return [{ any }, policies];
}

const cases = () => [
  ['20 rules in groups', many, twenty, new Map()],
  ['22 rules, 20 by way of a policy', many, inPolicies, new Map([['half', { name: 'Half', condition: rules }]])],
  ['20,000 parts: mixed rules', few, ...largest((n) => rules[n % rules.length])],
  [
    '20,000 parts: 3.9 MB of values',
    few,
    ...largest((n) => ({ type: 'user_property', property: 'plan', operator: 'in', value: [`${n}${'x'.repeat(185)}`] })),
  ],
  [
    '20,000 parts: dates',
    few,
    ...largest(() => ({ type: 'user_property', property: 'joined', operator: 'lt', value: '2020-01-01T00:00:00Z' })),
  ],
];

export async function conditions() {
  const { judge } = await import(`${kernel}/judging/judge.js`);
  const { checkCondition } = await import(`${kernel}/condition/check-condition.js`);
  const rows = [['condition', 'p50 µs', 'p99 µs', 'max µs', 'never read before', 'with reasons', 'checked']];
  for (const [name, count, condition, policies] of cases()) {
    const lookup = (id) => policies.get(id);
    const decide = () => judge(condition, facts, lookup);
    if (decide().outcome === 'fault') throw new Error(`${name}: ${decide().explain()[0].sentence}`);
    const check = () => checkCondition(condition, { place: 'page', policies: lookup });
    if (!check().ok) throw new Error(`${name}: ${JSON.stringify(check().problems)}`);
    const decided = sorted(count, decide);
    const rest = [
      sorted(
        fewest,
        (fresh) => judge(fresh.condition, facts, (id) => fresh.policies.get(id)),
        () => structuredClone({ condition, policies }),
      ),
      sorted(fewest, () => decide().explain()),
      sorted(fewest, check),
    ];
    rows.push([name, at(decided, 0.5).toFixed(2), at(decided, 0.99).toFixed(2), at(decided, 1).toFixed(0)]);
    rows.at(-1).push(...rest.map((times) => at(times, 0.5).toFixed(0)));
  }
  table('decisions on conditions, one at a time', rows);
}

const at = (times, share) => times[Math.min(Math.floor(times.length * share), times.length - 1)];

/** Microseconds of each call, sorted, after as many calls to warm up. */
function sorted(count, work, prepare = () => undefined) {
  const times = [];
  for (let n = 0; n < 2 * count; n += 1) {
    const prepared = prepare();
    const from = process.hrtime.bigint();
    work(prepared);
    if (n >= count) times.push(Number(process.hrtime.bigint() - from) / 1_000);
  }
  return times.sort((a, b) => a - b);
}
