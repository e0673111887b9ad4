import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { facts, noPolicies, person } from '../../../test/support/conditions/condition-facts.js';
import { runs } from '../../../test/support/depth.js';
import { judge } from '../judging/judge.js';
import { checkCondition } from './check-condition.js';
import { operators } from './operators.js';

const deep = (depth: number, around: (inner: unknown) => unknown, inner: unknown = { type: 'authenticated' }) => {
  let sent = inner;
  for (let n = 0; n < depth; n += 1) sent = around(sent);
  return sent;
};
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]));
const property = (value: unknown) => ({ type: 'user_property', property: 'p', operator: 'in', value });

const hostile: readonly (readonly [string, () => unknown])[] = [
  ['100,000 nots in one another', () => deep(100_000, (not) => ({ not }))],
  ['100,000 alls in one another', () => deep(100_000, (inner) => ({ all: [inner] }))],
  ['100,000 lists in one another', () => deep(100_000, (inner) => [inner])],
  ['a value 100,000 deep', () => property(deep(100_000, (inner) => [inner], 1))],
  ['a role 100,000 deep', () => ({ type: 'has_role', roleId: deep(100_000, (a) => ({ a })) })],
  ['an operator 100,000 deep', () => ({ ...property(['a']), operator: deep(100_000, (inner) => [inner]) })],
  ['a policy 100,000 deep', () => ({ policy: deep(100_000, (policy) => ({ policy })) })],
  ['a million rules', () => Array(1_000_000).fill({ type: 'authenticated' })],
  ['a million wrong rules', () => ({ any: Array(1_000_000).fill({ type: '' }) })],
  ['a million nulls', () => ({ all: Array(1_000_000).fill(null) })],
  ['a million values', () => property(Array(1_000_000).fill('x'))],
  ['a million wrong values', () => property(Array(1_000_000).fill({}))],
  ['100,000 members of a rule', () => ({ ...keys(100_000), type: 'authenticated' })],
  ['100,000 members of a group', () => ({ any: [{ type: 'authenticated' }], ...keys(100_000) })],
  ['a text of five million characters', () => ({ type: 'x'.repeat(5_000_000) })],
  ['a key of five million characters', () => ({ type: 'authenticated', ['x'.repeat(5_000_000)]: 1 })],
  ['a role of five million characters', () => ({ type: 'has_role', roleId: 'x'.repeat(5_000_000) })],
  ['a value of five million characters', () => property(['x'.repeat(5_000_000)])],
  ['a wide tree that is too deep everywhere', () => deep(300, (inner) => ({ all: [inner, inner] }))],
  ['__proto__ for everything', () => JSON.parse('{"__proto__":{"type":"authenticated"}}')],
  ['a type called __proto__', () => JSON.parse('{"type":"__proto__"}')],
  [
    'members that shadow what every object has',
    () => JSON.parse('{"type":"public","scope":{"toString":1,"valueOf":1}}'),
  ],
  ['hasOwnProperty as a member', () => JSON.parse('{"hasOwnProperty":1,"type":"authenticated"}')],
  ['toJSON as a member', () => JSON.parse('{"any":[{"type":"has_role","roleId":{"toJSON":1}}],"toJSON":1}')],
];

describe.each(hostile)('a hostile condition: %s', (_, sent) => {
  it('is refused with few and short words, and denies everyone when it is stored', () => {
    const made = sent();
    const checked = checkCondition(made, { place: 'row', policies: noPolicies });
    if (checked.ok) throw new Error('It was taken.');
    expect(checked.problems.length).toBeGreaterThan(0);
    expect(checked.problems.length).toBeLessThanOrEqual(20);
    for (const { path, message } of checked.problems) expect(path.length + message.length).toBeLessThan(3_000);
    expect(judge(made, facts({ person: person() }), noPolicies).outcome).toBe('fault');
  });
});

describe('a list of a million', () => {
  function looks(entry: unknown) {
    let looked = 0;
    const list = new Proxy(Array(1_000_000).fill(entry), {
      get: (target, key) => {
        if (typeof key === 'string' && /^\d+$/.test(key)) looked += 1;
        return Reflect.get(target, key);
      },
    });
    checkCondition({ any: list }, { place: 'row', policies: noPolicies });
    return looked;
  }

  it('is abandoned at the twentieth fault, and at one part too many', () => {
    expect(looks({ type: 'x' })).toBeLessThanOrEqual(21);
    expect(looks({ type: 'authenticated' })).toBeLessThanOrEqual(20_001);
  });
});

const words = [
  'type',
  'all',
  'any',
  'not',
  'policy',
  'scope',
  'operator',
  'value',
  'property',
  '__proto__',
  'toString',
];
const texts = [...words, ...operators, 'public', 'site', 'authenticated', 'has_role', 'user_property', 'email', ''];
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 6 },
    fc.constantFrom(...texts),
    fc.constantFrom(null, true, 0, 1.5),
    fc.array(tie('json'), { maxLength: 4 }),
    fc
      .array(fc.tuple(fc.constantFrom(...words), tie('json')), { maxLength: 4 })
      .map((entries) =>
        JSON.parse(`{${entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)}}`),
      ),
  ),
}));

describe('any JSON', () => {
  test('property: is checked without throwing, and returned as it was sent if it is accepted', () => {
    fc.assert(
      fc.property(json, (sent) => {
        const checked = checkCondition(sent, { place: 'policy', policies: noPolicies });
        if (checked.ok) expect(JSON.parse(JSON.stringify(checked.condition))).toEqual(JSON.parse(JSON.stringify(sent)));
        else expect(checked.problems.every(({ message }) => /^(must|is) /.test(message))).toBe(true);
      }),
      { numRuns: runs(2_000) },
    );
  });

  test('property: or anything else in the store is judged without throwing, and can be explained', () => {
    const anything = fc.oneof(json, fc.anything({ withDate: true, withMap: true, withNullPrototype: true }));
    fc.assert(
      fc.property(anything, anything, anything, (condition, given, found) => {
        const asked = { ...facts(), ...(given as object) };
        const verdict = judge(condition, asked, () => found as never);
        expect(verdict.explain().length).toBeGreaterThan(0);
        expect(
          judge(condition, given as never, () => {
            throw new Error('no');
          }).explain().length,
        ).toBeGreaterThan(0);
      }),
      { numRuns: runs(2_000) },
    );
  });
});
