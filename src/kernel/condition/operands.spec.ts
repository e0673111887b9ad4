import { describe, expect, it, test } from '@jest/globals';
import { type Operator, valueAt, wrongOperand } from './operators.js';

describe('an operand', () => {
  test.each<readonly [Operator, unknown]>([
    ['eq', 'a'],
    ['eq', ''],
    ['ne', false],
    ['gt', 0],
    ['lte', '2030-01-01'],
    ['in', ['a', 1, true]],
    ['nin', ['']],
    ['contains', 'a'],
    ['contains', 5],
    ['isEmpty', undefined],
  ])('%s accepts %j', (operator, operand) => {
    expect(wrongOperand(operator, operand)).toBeUndefined();
  });

  test.each<readonly [Operator, unknown, RegExp]>([
    ['eq', undefined, /one text, number, true or false for eq/],
    ['eq', null, /isEmpty matches what/],
    ['eq', ['a'], /one text/],
    ['ne', { a: 1 }, /one text/],
    ['eq', Number.NaN, /one text/],
    ['gt', true, /a number or a text for gt/],
    ['gte', undefined, /a number or a text/],
    ['lt', null, /a number or a text/],
    ['lte', [1], /a number or a text/],
    ['in', 'a', /a list of at least one value for in/],
    ['in', [], /at least one/],
    ['nin', {}, /a list/],
    ['in', [null], /must list texts, numbers, true or false/],
    ['nin', [['a']], /must list texts/],
    ['contains', '', /must not be empty/],
    ['contains', ['a'], /one text/],
    ['isEmpty', null, /must be left out: isEmpty takes no value/],
    ['isNotEmpty', 'a', /must be left out/],
  ])('the operator %s accepts no operand %j', (operator, operand, message) => {
    expect(wrongOperand(operator, operand)).toMatch(message);
  });
});

describe('the value at a dotted path', () => {
  const event = JSON.parse(
    '{"plain":1,"nested":{"deep":{"x":2},"list":[3]},"a.b":4,"a":{"b":5,"c":6},"nothing":null,"__proto__":{"x":7}}',
  );

  test.each([
    ['plain', 1],
    ['nested.deep.x', 2],
    ['nested.deep', { x: 2 }],
    ['nothing', null],
    ['a.c', 6],
  ])('finds the value at the path %s', (path, expected) => {
    expect(valueAt(event, path)).toEqual(expected);
  });

  it('prefers a key that contains the dots', () => {
    expect(valueAt(event, 'a.b')).toBe(4);
  });

  it('treats an own member called __proto__ as a member and nothing more', () => {
    expect(valueAt(event, '__proto__.x')).toBe(7);
  });

  test.each([
    'toString',
    'constructor.name',
    'nested.list.0',
    'nested.list.length',
    'plain.toFixed',
    'nothing.x',
    '',
    '.',
  ])('finds nothing at %j', (path) => {
    expect(valueAt(event, path)).toBeUndefined();
  });

  it('finds nothing in a value that is not an object', () => {
    for (const source of [undefined, null, 'text', 5, ['a']]) expect(valueAt(source, '0')).toBeUndefined();
  });
});
