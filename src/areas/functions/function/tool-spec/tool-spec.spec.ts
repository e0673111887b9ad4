import { describe, expect, test } from '@jest/globals';
import type { Json, JsonObject } from '../../../../kernel/json/json.js';
import { checkToolSpec } from './tool-spec.js';

const dialect = 'https://json-schema.org/draft/2020-12/schema';
const problemsOf = (inputSchema: JsonObject) => checkToolSpec({ inputSchema });
const nested = (levels: number): JsonObject => (levels === 0 ? {} : { not: nested(levels - 1) });

describe('a valid toolSpec', () => {
  test.each<readonly [string, JsonObject]>([
    ['with an empty schema', { inputSchema: {} }],
    [
      'with everything the contract names',
      {
        inputSchema: { $schema: dialect, type: 'object' },
        outputSchema: { $schema: `${dialect}#`, type: ['object', 'null'] },
        returns: 'record[]',
        sideEffects: false,
        kind: 'destructive',
      },
    ],
    [
      'with references to definitions, anchors and itself',
      {
        inputSchema: {
          $id: 'https://example.org/tree',
          $anchor: 'tree',
          $defs: { 'a/b~c d': { type: 'string' }, leaf: { $dynamicAnchor: 'leaf' } },
          properties: {
            label: { $ref: '#/$defs/a~1b~0c%20d' },
            left: { $ref: '#' },
            right: { $ref: '#tree' },
            leaf: { $dynamicRef: '#leaf' },
          },
        },
      },
    ],
    [
      'with a format nobody knows and words of other tools',
      {
        inputSchema: { format: 'x-colour', 'x-note': { $ref: 'anything' }, example: { id: '1' } },
      },
    ],
    [
      'with data that looks like a schema',
      {
        inputSchema: { const: { $ref: 'https://example.org/' }, enum: [{ pattern: '(' }], default: { $id: 'x' } },
      },
    ],
    [
      'with properties named like keywords',
      {
        inputSchema: { properties: { $ref: { type: 'string' }, $id: {}, pattern: {}, constructor: {} } },
      },
    ],
    ['that nests 64 deep', { inputSchema: nested(63) }],
  ])('accepts a toolSpec %s', (_, toolSpec) => {
    expect(checkToolSpec(toolSpec)).toEqual([]);
  });
});

describe('an invalid toolSpec', () => {
  test.each<readonly [string, JsonObject, string, string]>([
    ['without an inputSchema', {}, 'inputSchema', 'must be a JSON Schema, written as an object'],
    [
      'with an inputSchema that is true',
      { inputSchema: true },
      'inputSchema',
      'must be a JSON Schema, written as an object',
    ],
    [
      'with an outputSchema that is an array',
      { inputSchema: {}, outputSchema: [] },
      'outputSchema',
      'must be a JSON Schema, written as an object',
    ],
    [
      'with an outputSchema that is malformed',
      { inputSchema: {}, outputSchema: { type: 'text' } },
      'outputSchema.type',
      'must be one of: array, boolean, integer, null, number, object, string',
    ],
  ])('refuses a toolSpec %s', (_, toolSpec, path, message) => {
    expect(checkToolSpec(toolSpec)).toEqual([{ path: `toolSpec.${path}`, message }]);
  });

  test('has the faults of both schemas', () => {
    const all = checkToolSpec({ inputSchema: 1, outputSchema: 2 });
    expect(all.map(({ path }) => path)).toEqual(['toolSpec.inputSchema', 'toolSpec.outputSchema']);
  });
});

describe('a schema that is not JSON Schema 2020-12', () => {
  test.each<readonly [string, JsonObject, string, string]>([
    [
      'an unknown type',
      { properties: { a: { type: 'strin' } } },
      '.properties.a.type',
      'must be one of: array, boolean, integer, null, number, object, string',
    ],
    [
      'an unknown type in a list',
      { type: ['string', 'text'] },
      '.type[1]',
      'must be one of: array, boolean, integer, null, number, object, string',
    ],
    [
      'a schema that is a number',
      { properties: { 'odd name': 5 } },
      '.properties["odd name"]',
      'must be a schema: an object, true or false',
    ],
    ['items of an older draft', { items: [{}] }, '.items', 'must be a schema: an object, true or false'],
    ['required that is no list', { required: 'a' }, '.required', 'must be of type array'],
    ['required twice', { required: ['a', 'a'] }, '.required', 'must not contain duplicates'],
    ['a negative length', { minLength: -1 }, '.minLength', 'must be at least 0'],
    ['multiples of nothing', { multipleOf: 0 }, '.multipleOf', 'must be greater than 0'],
    ['no alternatives', { anyOf: [] }, '.anyOf', 'must not be empty'],
    ['an anchor with a space', { $anchor: 'a b' }, '.$anchor', 'must match ^[A-Za-z_][-A-Za-z0-9._]*$'],
    [
      'an older form of dependencies',
      { dependencies: { a: 1 } },
      '.dependencies.a',
      'must be a schema: an object, true or false',
    ],
    [
      'something deep within',
      { allOf: [{}, { $defs: { a: { if: { not: 3 } } } }] },
      '.allOf[1].$defs.a.if.not',
      'must be a schema: an object, true or false',
    ],
  ])('refuses a schema with %s', (_, schema, path, message) => {
    expect(problemsOf(schema)).toEqual([{ path: `toolSpec.inputSchema${path}`, message }]);
  });
});

describe('a schema that the service cannot support', () => {
  test.each<readonly [string, JsonObject, string, string]>([
    ['that nests deeper than 64', nested(64), '', 'must not nest deeper than 64 levels'],
    ['that is larger than 64 KB', { description: 'é'.repeat(32 * 1024) }, '', 'must not be larger than 65536 bytes'],
    [
      'of another dialect',
      { $schema: 'http://json-schema.org/draft-07/schema#' },
      '.$schema',
      `must be ${dialect} or left out`,
    ],
    [
      'with another dialect within',
      { $defs: { a: { $schema: 'x' } } },
      '.$defs.a.$schema',
      `must be ${dialect} or left out`,
    ],
    ['with an id within', { $defs: { a: { $id: 'x' } } }, '.$defs.a.$id', 'is only allowed in the outermost schema'],
    [
      'that leans on another document',
      { properties: { a: { $ref: 'https://example.org/a.json#/$defs/a' } } },
      '.properties.a.$ref',
      'must point into this schema (#…): no other document is read',
    ],
    [
      'that leans on a file',
      { $dynamicRef: 'file:///etc/passwd' },
      '.$dynamicRef',
      'must point into this schema (#…): no other document is read',
    ],
    ['with a reference to nothing', { $ref: '#/$defs/a' }, '.$ref', 'points to no schema in this schema'],
    [
      'with a reference to data',
      { enum: [{}], items: { $ref: '#/enum/0' } },
      '.items.$ref',
      'points to no schema in this schema',
    ],
    [
      'with a reference to an anchor that is not there',
      { items: { $ref: '#a' } },
      '.items.$ref',
      'points to no schema in this schema',
    ],
    [
      'with a reference that cannot be read',
      { items: { $ref: '#/%E0' } },
      '.items.$ref',
      'points to no schema in this schema',
    ],
    [
      'with one anchor at two places',
      { items: { $anchor: 'a' }, contains: { $dynamicAnchor: 'a' } },
      '.contains',
      'has an anchor that another schema in it also has',
    ],
    [
      'with a pattern that is none',
      { items: { pattern: '(' } },
      '.items.pattern',
      'is not a regular expression of ECMAScript with the flag u',
    ],
    [
      'with a pattern for names that is none',
      { patternProperties: { '\\p{x': {} } },
      '.patternProperties["\\\\p{x"]',
      'is not a regular expression of ECMAScript with the flag u',
    ],
  ])('refuses a schema %s', (_, schema, path, message) => {
    expect(problemsOf(schema)).toEqual([{ path: `toolSpec.inputSchema${path}`, message }]);
  });

  test('exactly 64 KB is accepted', () => {
    const around = JSON.stringify({ description: '' }).length;
    expect(problemsOf({ description: 'x'.repeat(64 * 1024 - around) })).toEqual([]);
    expect(problemsOf({ description: 'x'.repeat(64 * 1024 - around + 1) })).toHaveLength(1);
  });

  test('has at most twenty reported faults', () => {
    const references = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`a${at}`, { $ref: '#/x' }]));
    expect(problemsOf({ properties: references })).toHaveLength(20);
  });
});

describe('a schema that would validate one value forever', () => {
  const back = 'refers back to itself without descending into the value, so its validation would never end';

  test.each<readonly [string, JsonObject, string]>([
    ['through itself', { $ref: '#' }, ''],
    ['through a definition', { items: { $ref: '#/$defs/a' }, $defs: { a: { $ref: '#/$defs/a' } } }, '.$defs.a'],
    [
      'through two',
      { $defs: { a: { allOf: [{ $ref: '#/$defs/b' }] }, b: { not: { $ref: '#/$defs/a' } } } },
      '.$defs.a',
    ],
    ['through a condition', { if: {}, else: { $dynamicRef: '#' } }, ''],
    ['through what depends', { dependentSchemas: { a: { anyOf: [{ oneOf: [{ $ref: '#' }] }] } } }, ''],
  ])('refuses a schema that refers back to itself %s', (_, schema, path) => {
    expect(problemsOf(schema)).toEqual([{ path: `toolSpec.inputSchema${path}`, message: back }]);
  });

  test.each<readonly [string, Json]>([
    ['members', { properties: { a: { $ref: '#' } } }],
    ['items', { items: { $ref: '#' } }],
    ['names', { propertyNames: { $ref: '#' } }],
  ])('accepts one that goes into %s', (_, schema) => {
    expect(problemsOf(schema as JsonObject)).toEqual([]);
  });

  test('accepts one with two references to the same schema', () => {
    const diamond = {
      allOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }],
      $defs: { a: { $ref: '#/$defs/b' }, b: {} },
    };
    expect(problemsOf(diamond)).toEqual([]);
  });
});

describe('checking is fast for any schema', () => {
  const wide = (length: number, one: (at: number) => Json) =>
    Object.fromEntries(Array.from({ length }, (_, at) => [`a${at}`, one(at)]));

  test.each<readonly [string, JsonObject]>([
    ['thousands of faults', { properties: wide(6_000, () => 1) }],
    [
      'a long chain of references',
      { $defs: wide(2_000, (at) => ({ $ref: at === 0 ? '#/$defs' : `#/$defs/a${at - 1}` })) },
    ],
    [
      'every path of a lattice',
      {
        $defs: wide(400, (at) =>
          at === 0 ? {} : { allOf: [{ $ref: `#/$defs/a${at - 1}` }, { $ref: `#/$defs/a${at - 1}` }] },
        ),
      },
    ],
    ['a pattern that backtracks for ever', { pattern: '^((a+)+)+$' }],
    ['brackets in brackets', { pattern: `${'(?:'.repeat(10_000)}a${')*'.repeat(10_000)}` }],
  ])('checks %s at once', (_, schema) => {
    const began = performance.now();
    problemsOf(schema);
    // A check that follows every path or runs a pattern would take practically forever.
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});
