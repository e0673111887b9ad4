import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { type ConditionScalar, isOperator, matches, type Operator, operandOf, operators } from './operators.js';

type Case = readonly [value: unknown, operand: ConditionScalar | readonly ConditionScalar[] | undefined];

const cases: Readonly<Record<Operator, { readonly holds: readonly Case[]; readonly fails: readonly Case[] }>> = {
  eq: {
    holds: [
      ['pro', 'pro'],
      [5, 5],
      [0, -0],
      [false, false],
      ['2030-01-01', '2030-01-01T01:00:00+01:00'],
      [['free', 'pro'], 'pro'],
    ],
    fails: [
      ['Pro', 'pro'],
      ['5', 5],
      [1, true],
      ['2030-02-30', '2030-03-02'],
      ['2030-01-01T00:00:00', '2030-01-01'],
      [['free'], 'pro'],
      [[['pro']], 'pro'],
      [{ pro: 'pro' }, 'pro'],
      [null, 'null'],
      [undefined, 'undefined'],
    ],
  },
  ne: {
    holds: [
      ['free', 'pro'],
      ['5', 5],
      [undefined, 'pro'],
      [null, 'pro'],
      [[], 'pro'],
      [{}, 'pro'],
    ],
    fails: [
      ['pro', 'pro'],
      ['2030-01-01', '2030-01-01T00:00:00Z'],
      [['free', 'pro'], 'pro'],
    ],
  },
  gt: {
    holds: [
      [6, 5],
      ['b', 'a'],
      ['a', 'B'],
      ['2030-01-01T00:00:00Z', '2030-01-01T00:30:00+01:00'],
    ],
    fails: [
      [5, 5],
      ['10', 9],
      [10, '9'],
      ['soon', '2030-01-01'],
      [true, 0],
      [[6], 5],
      [Number.NaN, 5],
      [undefined, 5],
      [null, -1],
    ],
  },
  gte: {
    holds: [
      [5, 5],
      ['a', 'a'],
      ['2030-01-01', '2030-01-01T00:00:00Z'],
    ],
    fails: [
      [4.9, 5],
      ['a', 'b'],
      ['unknown', '2030-01-01'],
      [null, 0],
      [undefined, 0],
    ],
  },
  lt: {
    holds: [
      [4, 5],
      ['B', 'a'],
      ['2029-12-31T23:30:00-01:00', '2030-01-01T01:00:00Z'],
    ],
    fails: [
      [5, 5],
      ['', 5],
      ['', '2030-01-01'],
      [null, 1],
      [undefined, 'a'],
    ],
  },
  lte: {
    holds: [
      [5, 5],
      [4, 5],
      ['2030-01-01T00:00:00Z', '2030-01-01'],
    ],
    fails: [
      [6, 5],
      ['1', '2030-01-01'],
      [null, 0],
      [undefined, 0],
    ],
  },
  in: {
    holds: [
      ['pro', ['free', 'pro']],
      [5, [5]],
      ['2030-01-01', ['x', '2029-12-31T23:00:00-01:00']],
      [
        ['a', 'b'],
        ['c', 'b'],
      ],
    ],
    fails: [
      ['Pro', ['free', 'pro']],
      ['5', [5, 6]],
      [[], ['a', 'b']],
      [null, ['null', 'a']],
      [undefined, ['undefined', 'a']],
    ],
  },
  nin: {
    holds: [
      ['team', ['free', 'pro']],
      [undefined, ['free', 'pro']],
      [null, ['free']],
      [[], ['free', 'pro']],
    ],
    fails: [
      ['pro', ['free', 'pro']],
      [
        ['team', 'pro'],
        ['free', 'pro'],
      ],
      ['2030-01-01', ['2030-01-01T00:00:00Z', 'x']],
    ],
  },
  contains: {
    holds: [
      ['countersign', 'sign'],
      [['alpha', 'beta'], 'beta'],
      [[1, 2], 2],
      [['2030-01-01'], '2030-01-01T00:00:00Z'],
    ],
    fails: [
      ['countersign', 'Sign'],
      [['alphabet'], 'beta'],
      [12, 2],
      ['12', 2],
      [{ beta: 1 }, 'beta'],
      [null, 'n'],
      [undefined, 'u'],
    ],
  },
  isEmpty: {
    holds: [
      [undefined, undefined],
      [null, undefined],
      ['', undefined],
      [[], undefined],
      [{}, undefined],
    ],
    fails: [
      [' ', undefined],
      [0, undefined],
      [false, undefined],
      [[null], undefined],
      [{ a: undefined }, undefined],
    ],
  },
  isNotEmpty: {
    holds: [[' ', undefined], [0, undefined], [false, undefined], [['']]].map(([value]) => [value, undefined]),
    fails: [
      [undefined, undefined],
      [null, undefined],
      ['', undefined],
      [[], undefined],
    ],
  },
};

describe.each(operators)('operator %s', (operator) => {
  test.each(cases[operator].holds)('%j, %j: holds', (value, operand) => {
    expect(matches(operator, value, operandOf(operand))).toBe(true);
  });

  test.each(cases[operator].fails)('%j, %j: does not hold', (value, operand) => {
    expect(matches(operator, value, operandOf(operand))).toBe(false);
  });
});

const scalar = fc.oneof(
  fc.constantFrom<ConditionScalar>('a', 'b', '', '2030-01-01', '2030-01-01T00:00:00Z', '2030-06-01', 0, 1, true, false),
  fc.string(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const anything = fc.oneof(scalar, fc.array(scalar), fc.anything());

describe('operators', () => {
  it('property: eq is in with one choice, ne the opposite of eq, nin of in, isNotEmpty of isEmpty', () => {
    fc.assert(
      fc.property(anything, scalar, fc.array(scalar, { minLength: 1 }), (value, one, many) => {
        const holds = (operator: Operator, operand?: ConditionScalar | readonly ConditionScalar[]) =>
          matches(operator, value, operandOf(operand));
        expect(holds('eq', one)).toBe(holds('in', [one]));
        expect(holds('eq', one)).toBe(holds('in', [one, one]));
        expect(holds('ne', one)).toBe(!holds('eq', one));
        expect(holds('nin', many)).toBe(!holds('in', many));
        expect(holds('in', many)).toBe(many.some((choice) => holds('eq', choice)));
        expect(holds('isNotEmpty')).toBe(!holds('isEmpty'));
      }),
    );
  });

  it('property: more, less and equal exclude one another, and at least and at most combine them', () => {
    fc.assert(
      fc.property(scalar, scalar, (value, than) => {
        const holds = (operator: Operator) => matches(operator, value, operandOf(than));
        const ordered = [holds('gt'), holds('lt')].filter(Boolean).length;
        expect(ordered).toBeLessThanOrEqual(1);
        if (typeof value === typeof than && typeof value !== 'boolean') {
          expect(holds('gte') && holds('lte')).toBe(holds('eq'));
          if (ordered === 1) expect([holds('gte'), holds('lte')]).toEqual([holds('gt'), holds('lt')]);
        } else expect([holds('gt'), holds('gte'), holds('lt'), holds('lte')]).toEqual(Array(4).fill(false));
      }),
    );
  });

  it('property: a missing value fails all but ne, nin and isEmpty', () => {
    fc.assert(
      fc.property(fc.constantFrom(...operators), fc.constantFrom(undefined, null), scalar, (operator, value, one) => {
        expect(matches(operator, value, operandOf(one))).toBe(['ne', 'nin', 'isEmpty'].includes(operator));
      }),
    );
  });

  it('property: no value of any kind makes an operator throw', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...operators),
        fc.anything({ withNullPrototype: true }),
        scalar,
        (operator, value, one) => {
          expect(typeof matches(operator, value, operandOf(one))).toBe('boolean');
        },
      ),
    );
  });

  test.each([...operators])('%s is the name of an operator', (name) => {
    expect(isOperator(name)).toBe(true);
  });

  test.each(['EQ', '', 'toString', '__proto__', 'constructor', 'startsWith', null, 1, ['eq']])(
    '%j is not an operator',
    (name) => {
      expect(isOperator(name)).toBe(false);
    },
  );
});
