import { describe, expect, it } from '@jest/globals';
import { Field, type Shape } from '../../kernel/field/field.js';
import { Refusal } from '../../kernel/refusals/refusal.js';
import { inputOf } from './validation.js';

class Leaf {
  @Field({ type: 'integer', minimum: 1 }) size!: number;
  @Field({ type: 'array', items: () => Leaf, optional: true }) within?: Leaf[];
}

class Tree {
  @Field({ type: 'string', maxLength: 3 }) name!: string;
  @Field({ type: 'array', items: () => Leaf, maxItems: 200, optional: true }) leaves?: Leaf[];
  @Field({ type: 'array', items: 'object', optional: true }) any?: object[];
  @Field({ type: 'array', items: 'string', enum: ['a', 'b'], maxItems: 2, optional: true }) letters?: string[];
  @Field({ type: 'object', shape: () => Leaf, optional: true, nullable: true }) one?: Leaf | null;
}

class Choice {
  @Field({
    type: 'any',
    schema: { oneOf: [{ type: 'string', maxLength: 3 }, { type: 'array' }] },
    must: 'a text of at most 3 characters, or a list',
    wrong: (value) => (value === 'no' ? 'must not be no' : undefined),
  })
  either!: unknown;
}

function refused(body: object, shape: Shape = Tree): Refusal {
  try {
    inputOf(shape, body);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('It was taken.');
}

const told = (body: object, shape?: Shape) =>
  (refused(body, shape).facts.errors ?? []).map(({ path, message }) => `${path}: ${message}`);

describe('input', () => {
  it.each<[string, object, string]>([
    ['a list', { leaves: [[]] }, 'leaves[0]: each must be an object'],
    ['a list of what would fit', { leaves: [[{ size: 1 }]] }, 'leaves[0]: each must be an object'],
    ['nothing', { leaves: [{ size: 1 }, null] }, 'leaves[1]: each must be an object'],
    ['a list, further down', { leaves: [{ size: 1, within: [[[]]] }] }, 'leaves[0].within[0]: each must be an object'],
    [
      'a misfit, further down',
      { leaves: [{ size: 1, within: [{ size: 0 }] }] },
      'leaves[0].within[0].size: must be 1 or more',
    ],
    ['a list, for any object', { any: [{}, []] }, 'any: each must be an object'],
    ['an unknown text', { letters: ['c'] }, 'letters: each must be one of: a, b'],
    ['an object for a list', { leaves: {} }, 'leaves: must be an array'],
    ['a list for an object', { one: [] }, 'one: must be an object'],
  ])('whose list or object contains %s is refused with its path', (_, sent, error) => {
    expect(told({ name: 'a', ...sent })).toEqual([error]);
  });

  it.each<[unknown, string]>([
    [5, 'must be a text of at most 3 characters, or a list'],
    ['abcd', 'must be a text of at most 3 characters, or a list'],
    ['no', 'must not be no'],
    [undefined, 'is required and must be a text of at most 3 characters, or a list'],
  ])('that violates its schema, or cannot be in a schema, is refused: %j', (either, message) => {
    expect(told({ either }, Choice)).toEqual([`either: ${message}`]);
  });

  it.each(['abc', '\u{1F600}\u{1F600}\u{1F600}', [1]])('that satisfies its schema is accepted: %j', (either) => {
    expect(inputOf(Choice, { either })).toMatchObject({ either });
  });

  it.each(['constructor', '__proto__', 'prototype', 'toString', 'hasOwnProperty'])(
    'with a member %s is refused like any other unknown one, whatever its value',
    (name) => {
      for (const value of [null, {}, { prototype: null }, [], 'x']) {
        const odd = Object.fromEntries([[name, value]]);
        const body = Object.fromEntries([...Object.entries(odd), ['name', 'a'], ['one', { size: 1, ...odd }]]);
        const message = 'is not a parameter of this operation';
        expect(told(body)).toContain(`${name}: ${message}`);
        expect(told({ name: 'a', one: Object.fromEntries([...Object.entries(odd), ['size', 1]]) })).toEqual([
          `one.${name}: ${message}`,
        ]);
      }
    },
  );

  it('contains no unpaired surrogate, no U+0000 and no number that JSON writes as null, at any depth', () => {
    const half = 'must be well-formed Unicode, without lone surrogates';
    const nul = 'must not contain the character U+0000';
    expect(told({ name: 'a\ud800', letters: ['\udc00b'] })).toEqual([`name: ${half}`, `letters[0]: ${half}`]);
    expect(told({ name: 'a', any: [{ a: ['b\0'] }, { '\0': 1 }] })).toEqual([
      `any[0].a[0]: ${nul}`,
      `any[1].\0: has a name that ${nul}`,
    ]);
    expect(told({ name: 'a', any: [{ n: 1 / 0 }] })).toEqual([
      'any[0].n: must be between -1.7976931348623157e+308 and 1.7976931348623157e+308, the range of JSON numbers',
    ]);
    expect(told({ name: 'a', any: Array(100).fill('\0') })).toHaveLength(50);
    expect(inputOf(Tree, { name: '\ud83d\ude00' })).toEqual({ name: '\ud83d\ude00' });
  });

  it('is checked up to a limited number of errors, and a long name is cut', () => {
    const many = told({ name: 'a', any: Array(500_000).fill({}), leaves: Array(200).fill(7) });
    expect([many.length, many[49]]).toEqual([50, 'leaves[49]: each must be an object']);
    expect(told({ name: 'a', leaves: Array(500_000).fill([]) })).toEqual(['leaves: must have at most 200 entries']);
    expect(told(Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`n${at}`, 1])))).toHaveLength(50);
    expect(told({ name: 'a', ['x'.repeat(1_000_000)]: 1 })).toEqual([
      `${'x'.repeat(100)}…: is not a parameter of this operation`,
    ]);
  });

  it('that is wrong as a whole is reported under that name', () => {
    const deep = { name: 'a', any: [JSON.parse(`${'{"a":'.repeat(700)}1${'}'.repeat(700)}`)] };
    expect(refused(deep).message).toContain('look at the body (must not nest deeper than 600 levels)');
    expect(refused({ name: 'a', '': 1 }).message).toContain('look at "" (is not a parameter of this operation)');
  });

  it('that is valid is an instance of its declared class, and plain below it, like input read from the log', () => {
    const leaves = [{ size: 1, within: [{ size: 2 }] }];
    const input = inputOf(Tree, { name: '😀😀😀', leaves, one: null });
    expect(input.constructor.name).toBe('Tree');
    expect(input.leaves).toStrictEqual(leaves);
    expect(input.one).toBeNull();
  });
});
