// biome-ignore-all lint/suspicious/noThenProperty: a word of JSON Schema.
import { expect, it } from '@jest/globals';
import type { Json, JsonObject } from '../../../src/kernel/json/json.js';
import { pathText } from '../../../src/kernel/json/json-path.js';
import type { SchemaCheck } from '../../../src/ports/offloaded/schema-check.port.js';

/** A value and the expected faults, each as `path message`. */
type Misfitting = readonly [value: Json, ...told: string[]];

interface Case {
  readonly name: string;
  readonly schema: JsonObject;
  readonly fit: readonly Json[];
  readonly misfit: readonly Misfitting[];
}

/** Object with one own member. An object literal cannot have a member `__proto__`. */
const own = (name: string, value: Json): JsonObject => Object.fromEntries([[name, value]]);
const proto = (value: Json) => own('__proto__', value);

const item = { type: 'object', required: ['sku'], properties: { sku: { type: 'string' } } };

export const cases: readonly Case[] = [
  { name: 'an empty schema', schema: {}, fit: [null, 0, '', [], {}, proto(1)], misfit: [] },
  {
    name: 'type',
    schema: { type: 'integer' },
    fit: [0, -3, 1.0, 1e300],
    misfit: [
      [1.5, ' must be an integer'],
      ['1', ' must be an integer'],
      [null, ' must be an integer'],
    ],
  },
  {
    name: 'types',
    schema: { type: ['null', 'object', 'array', 'boolean'] },
    fit: [null, {}, [], false],
    misfit: [
      [0, ' must be null or an object or an array or a boolean'],
      ['', ' must be null or an object or an array or a boolean'],
    ],
  },
  {
    name: 'required',
    schema: { required: ['a', 'constructor', '__proto__'] },
    fit: [Object.fromEntries(['a', 'constructor', '__proto__'].map((name) => [name, 1])), 5, []],
    misfit: [[{ a: 1 }, 'constructor is missing', '__proto__ is missing']],
  },
  {
    name: 'enum',
    schema: { enum: ['a', 1, null, { x: [1, 2], y: 3 }] },
    fit: ['a', 1, null, { y: 3, x: [1, 2] }],
    misfit: [
      ['b', ' must be one of "a",1,null,{"x":[1,2],"y":3}'],
      [{ x: [2, 1], y: 3 }, ' must be one of "a",1,null,{"x":[1,2],"y":3}'],
    ],
  },
  {
    name: 'const',
    schema: { properties: { a: { const: 0 }, b: { const: false }, c: { const: { d: [] } } } },
    fit: [{ a: 0, b: false, c: { d: [] } }, { a: -0 }],
    misfit: [[{ a: false, b: 0, c: { d: {} } }, 'a must be 0', 'b must be false', 'c must be {"d":[]}']],
  },
  {
    name: 'minimum, maximum and their exclusive kin',
    schema: { items: { minimum: 1, maximum: 3, exclusiveMinimum: 0.5, exclusiveMaximum: 3.5 } },
    fit: [[1, 2.5, 3], ['not a number']],
    misfit: [
      [
        [0, 4],
        '[0] must be at least 1',
        '[0] must be greater than 0.5',
        '[1] must be at most 3',
        '[1] must be less than 3.5',
      ],
    ],
  },
  {
    name: 'multipleOf, exactly',
    schema: { multipleOf: 0.01 },
    fit: [0, 19.99, 4.35, -0.07, 1e22],
    misfit: [
      [0.075, ' must be a multiple of 0.01'],
      [1e-7, ' must be a multiple of 0.01'],
    ],
  },
  {
    name: 'minLength and maxLength, in characters',
    schema: { minLength: 1, maxLength: 2 },
    fit: ['a', '💚💚', 7],
    misfit: [
      ['', ' must have at least 1 character'],
      ['💚💚💚', ' must have at most 2 characters'],
    ],
  },
  {
    name: 'pattern, anywhere and by code points',
    schema: { pattern: '^\\p{L}.$' },
    fit: ['ä💚', 5],
    misfit: [['1x', ' must match the pattern ^\\p{L}.$']],
  },
  {
    name: 'items, prefixItems, minItems and maxItems',
    schema: { prefixItems: [{ type: 'string' }], items: { type: 'number' }, minItems: 1, maxItems: 3 },
    fit: [['a'], ['a', 1, 2], { 0: 1 }],
    misfit: [
      [[], ' must have at least 1 item'],
      [[1, 'a'], '[0] must be a string', '[1] must be a number'],
      [['a', 1, 2, 3], ' must have at most 3 items'],
    ],
  },
  {
    name: 'contains, minContains and maxContains',
    schema: { contains: { const: 1 }, minContains: 2, maxContains: 3 },
    fit: [
      [1, 0, 1],
      [1, 1, 1],
    ],
    misfit: [
      [[1], ' must have 2 or more items that fit the schema in contains'],
      [[1, 1, 1, 1], ' must have 3 or fewer items that fit the schema in contains'],
    ],
  },
  {
    name: 'contains, of which none will do',
    schema: { items: { contains: false }, prefixItems: [{ contains: { type: 'string' }, minContains: 0 }] },
    fit: [[[]], [[1]]],
    misfit: [[[[], []], '[1] must have 1 or more items that fit the schema in contains']],
  },
  {
    name: 'uniqueItems',
    schema: { uniqueItems: true },
    fit: [[1, '1', true, [1], { a: 1 }, { a: true }]],
    misfit: [
      [
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
        ' must not have the same item twice',
      ],
      [[0, -0], ' must not have the same item twice'],
    ],
  },
  {
    name: 'properties, patternProperties and additionalProperties',
    schema: {
      properties: { a: { type: 'string' }, b: false },
      patternProperties: { '^n_': { type: 'number' } },
      additionalProperties: false,
    },
    fit: [{}, { a: 'x', n_1: 1 }, 'no object'],
    misfit: [
      [
        { a: 1, b: 1, n_1: 'x', other: 1 },
        'a must be a string',
        'b is not allowed',
        'n_1 must be a number',
        'other is not allowed',
      ],
      [proto(1), '__proto__ is not allowed'],
      [{ toString: 1, 'odd name': 2 }, 'toString is not allowed', '["odd name"] is not allowed'],
    ],
  },
  {
    name: 'a property named __proto__',
    schema: { properties: proto({ type: 'string' }) },
    fit: [proto('x'), {}],
    misfit: [[proto(1), '__proto__ must be a string']],
  },
  {
    name: 'minProperties, maxProperties and propertyNames',
    schema: { minProperties: 1, maxProperties: 2, propertyNames: { maxLength: 3 } },
    fit: [{ a: 1 }, { a: 1, abc: 2 }],
    misfit: [
      [{}, ' must have at least 1 member'],
      [{ a: 1, b: 2, abcd: 3 }, ' must have at most 2 members', 'abcd has a name that is not allowed'],
    ],
  },
  {
    name: 'dependentRequired and dependentSchemas',
    schema: { dependentRequired: { a: ['b'] }, dependentSchemas: { c: { required: ['d'], properties: { a: false } } } },
    fit: [{}, { a: 1, b: 1 }, { c: 1, d: 1 }],
    misfit: [[{ a: 1, c: 1 }, 'b is missing, but "a" requires it', 'd is missing', 'a is not allowed']],
  },
  {
    name: '$ref to $defs, to an anchor, and to the whole',
    schema: {
      $defs: { name: { $anchor: 'name', type: 'string' }, 'a/b~c d': { const: 1 } },
      properties: {
        name: { $ref: '#/$defs/name', minLength: 2 },
        alias: { $ref: '#name' },
        odd: { $ref: '#/$defs/a~1b~0c%20d' },
        child: { $ref: '#' },
        dynamic: { $dynamicRef: '#name' },
      },
    },
    fit: [{ name: 'ab', alias: '', odd: 1, child: { child: { name: 'cd' } } }],
    misfit: [
      [
        { name: 'a', alias: 1, odd: 2 },
        'name must have at least 2 characters',
        'alias must be a string',
        'odd must be 1',
      ],
      [{ child: { child: { name: 1 } } }, 'child.child.name must be a string'],
      [{ dynamic: 1 }, 'dynamic must be a string'],
    ],
  },
  {
    name: 'allOf',
    schema: { allOf: [{ required: ['a'] }, { required: ['b'] }, { required: ['b'] }] },
    fit: [{ a: 1, b: 1 }],
    misfit: [[{}, 'a is missing', 'b is missing']],
  },
  {
    name: 'anyOf',
    schema: { properties: { a: { anyOf: [{ type: 'string' }, { minimum: 3 }] } } },
    fit: [{ a: 'x' }, { a: 3 }],
    misfit: [[{ a: 2 }, 'a must fit one of the schemas in anyOf, but fits none']],
  },
  {
    name: 'oneOf',
    schema: { oneOf: [{ required: ['a'] }, { required: ['b'] }] },
    fit: [{ a: 1 }, { b: 1 }],
    misfit: [
      [{}, ' must fit exactly one of the schemas in oneOf, but fits none'],
      [{ a: 1, b: 1 }, ' must fit exactly one of the schemas in oneOf, but fits several'],
    ],
  },
  {
    name: 'not',
    schema: { not: { type: 'string' } },
    fit: [1],
    misfit: [['x', ' must not fit the schema in not']],
  },
  {
    name: 'if, then and else',
    schema: {
      if: { properties: { kind: { const: 'card' } }, required: ['kind'] },
      then: { required: ['number'] },
      else: { maxProperties: 1 },
    },
    fit: [{ kind: 'card', number: 1 }, { iban: 1 }, {}],
    misfit: [
      [{ kind: 'card' }, 'number is missing'],
      [{ a: 1, b: 2 }, ' must have at most 1 member'],
    ],
  },
  { name: 'then and else without if', schema: { then: false, else: false }, fit: [1], misfit: [] },
  {
    name: 'unevaluatedProperties, over what any other keyword has looked at',
    schema: {
      properties: { a: true },
      allOf: [{ patternProperties: { '^b': true } }, { $ref: '#/$defs/c' }],
      anyOf: [{ properties: { d: { type: 'string' } } }, { properties: { e: true } }],
      if: { required: ['f'] },
      then: { properties: { f: true } },
      not: { not: { properties: { g: true } } },
      $defs: { c: { properties: { c: true } } },
      unevaluatedProperties: false,
    },
    fit: [{ a: 1, b1: 1, c: 1, d: 'x', e: 1, f: 1 }, { d: 'x' }],
    misfit: [
      [{ d: 1, e: 1 }, 'd is not allowed'],
      [{ g: 1 }, 'g is not allowed'],
      [{ h: 1 }, 'h is not allowed'],
    ],
  },
  {
    name: 'unevaluatedItems, with prefixItems and contains',
    schema: { prefixItems: [true], contains: { type: 'string' }, unevaluatedItems: { type: 'null' } },
    fit: [[1, 'a', null, 'b']],
    misfit: [[[1, 'a', 2], '[2] must be null']],
  },
  {
    name: 'unevaluatedItems, where a form that was not taken looked at all',
    schema: { anyOf: [{ items: false }, { prefixItems: [true] }], unevaluatedItems: false },
    fit: [[], [1]],
    misfit: [[[1, 2], '[1] is not allowed']],
  },
  {
    name: 'unevaluatedItems, where contains may find nothing and finds something',
    schema: { contains: { const: 1 }, minContains: 0, unevaluatedItems: false },
    fit: [[], [1, 1]],
    misfit: [[[1, 2], '[1] is not allowed']],
  },
  {
    name: 'unevaluated parts are not told of while something else is wrong',
    schema: { allOf: [{ properties: { a: { type: 'string' } } }], unevaluatedProperties: false },
    fit: [{ a: 'x' }],
    misfit: [[{ a: 1 }, 'a must be a string']],
  },
  {
    name: 'format is a note, known or not',
    schema: { properties: { a: { format: 'email' }, b: { format: '__proto__' }, c: { format: 'constructor' } } },
    fit: [{ a: 'no address', b: 'x', c: 'y' }],
    misfit: [],
  },
  {
    name: 'words of older drafts and of other tools are notes',
    schema: {
      dependencies: { a: ['b'] },
      additionalItems: false,
      $recursiveRef: '#',
      id: 'x',
      __absolute_ref__: 'x',
      example: { id: '1', $ref: 'nowhere' },
    },
    fit: [{ a: 1 }, [1]],
    misfit: [],
  },
  {
    name: 'places deep in a value',
    schema: { properties: { order: { properties: { items: { items: item } } } } },
    fit: [{ order: { items: [{ sku: 'a' }] } }],
    misfit: [
      [
        { order: { items: [{ sku: 'a' }, { sku: 1 }, {}] } },
        'order.items[1].sku must be a string',
        'order.items[2].sku is missing',
      ],
    ],
  },
  {
    name: 'names that are no text of Unicode',
    schema: { propertyNames: { maxLength: 5 }, additionalProperties: { type: 'number' } },
    fit: [{ '\ud800': 1 }],
    misfit: [[{ '\ud800': 'x' }, '["\\ud800"] must be a number']],
  },
];

/** The promises that every adapter keeps. */
export function schemaCheckContract(adapter: () => SchemaCheck): void {
  const told = async (schema: JsonObject, value: Json) =>
    (await adapter().check({ workspaceId: 'w', schema, value })).map(
      ({ path, message }) => `${pathText(path)} ${message}`,
    );

  it.each(cases)('judges by the schema: $name', async ({ schema, fit, misfit }) => {
    for (const value of fit) expect([value, ...(await told(schema, value))]).toEqual([value]);
    for (const [value, ...expected] of misfit)
      expect([value, ...(await told(schema, value))]).toEqual([value, ...expected]);
  });

  it('reports at most twenty faults, each once', async () => {
    expect(await told({ items: { type: 'string' } }, Array(100).fill(1))).toHaveLength(20);
    expect(await told({ allOf: Array(5).fill({ type: 'string' }) }, 1)).toEqual([' must be a string']);
  });

  it('quotes no value, and at most a line of a schema', async () => {
    const secret = 'hunter2';
    const schema = {
      type: 'number',
      const: 1,
      enum: ['x'.repeat(1_000)],
      maxLength: 1,
      pattern: '^a\n\u2028$',
      not: {},
    };
    const all = await told(schema, secret);
    expect(all).toHaveLength(6);
    expect(all.join()).not.toContain(secret);
    for (const one of all) expect(one).toMatch(/^[^\n\u2028]{1,300}$/);
  });
}
