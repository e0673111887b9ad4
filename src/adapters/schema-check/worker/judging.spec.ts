// biome-ignore-all lint/suspicious/noThenProperty: a word of JSON Schema.
import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc, { type Arbitrary } from 'fast-check';
import { runs } from '../../../../test/support/depth.js';
import type { Json, JsonObject } from '../../../kernel/json/json.js';
import { CheckGivenUp } from '../../../ports/offloaded/schema-check.port.js';
import { SchemaCheckRun } from './schema-check-run.js';

const names = ['a', 'b', 'cc'];
const name = fc.constantFrom(...names);
const count = fc.integer({ min: 0, max: 3 });

const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<Json>(null, true, false, -1, 0, 1, 1.5, 2, 4, '', 'a', 'ab', 'a💚'),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

/**
 * Omits `contains` and the unevaluated keywords, because there ajv differs from the standard. The port's contract suite
 * tests them.
 */
const { schema } = fc.letrec<{ schema: Json; words: Json }>((tie) => {
  const inner = tie('schema');
  const several = fc.array(inner, { minLength: 1, maxLength: 3 });
  const byName = fc.dictionary(name, inner, { maxKeys: 3, noNullPrototype: true });
  const types = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'] as const;
  const words: Record<string, Arbitrary<unknown>> = {
    type: fc.oneof(
      fc.constantFrom(...types),
      fc.uniqueArray(fc.constantFrom(...types), { minLength: 1, maxLength: 3 }),
    ),
    enum: fc.array(value, { minLength: 1, maxLength: 3 }),
    const: value,
    minimum: count,
    maximum: count,
    exclusiveMinimum: count,
    exclusiveMaximum: count,
    multipleOf: fc.constantFrom(1, 2, 1.5),
    minLength: count,
    maxLength: count,
    pattern: fc.constantFrom('^a', 'b$', '^.$'),
    prefixItems: several,
    items: inner,
    minItems: count,
    maxItems: count,
    uniqueItems: fc.boolean(),
    required: fc.uniqueArray(name, { maxLength: 2 }),
    dependentRequired: fc.dictionary(name, fc.uniqueArray(name, { maxLength: 2 }), {
      maxKeys: 2,
      noNullPrototype: true,
    }),
    dependentSchemas: byName,
    properties: byName,
    patternProperties: fc.dictionary(fc.constantFrom('^a', 'c'), inner, { maxKeys: 2, noNullPrototype: true }),
    additionalProperties: inner,
    propertyNames: inner,
    minProperties: count,
    maxProperties: count,
    allOf: several,
    anyOf: several,
    oneOf: several,
    not: inner,
    if: inner,
    then: inner,
    else: inner,
  };
  const some = fc
    .uniqueArray(fc.constantFrom(...Object.keys(words)), { minLength: 1, maxLength: 4 })
    .chain((chosen) => fc.record(Object.fromEntries(chosen.map((word) => [word, words[word] ?? fc.constant(true)]))));
  return {
    words: some as Arbitrary<Json>,
    schema: fc.oneof({ maxDepth: 3, withCrossShrink: true }, fc.boolean(), tie('words'), tie('words'), tie('words')),
  };
});

/** Returns undefined where Ajv has no opinion: it cannot compile some schemas, and its code for others fails. */
function ajvOf(root: JsonObject): ((on: Json) => boolean | undefined) | undefined {
  const options = { strict: false, validateFormats: false, logger: false, meta: false, validateSchema: false } as const;
  const compiled = resultOf(() => new Ajv2020(options).compile(root));
  return compiled && ((on) => resultOf(() => compiled(on)));
}

function resultOf<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

const verdict = (root: JsonObject, on: Json) => {
  const judging = new SchemaCheckRun(root);
  const fits = judging.judge(root, on, undefined, true);
  return { fits, told: judging.misfits.length > 0 };
};

describe('validation', () => {
  test('agrees with another validator, and reports a fault exactly if there is one', () => {
    const numRuns = runs(400);
    let opinions = 0;
    fc.assert(
      fc.property(schema, schema, fc.array(value, { minLength: 1, maxLength: 5 }), (first, second, values) => {
        const root = {
          $defs: { first, second },
          $ref: '#/$defs/first',
          allOf: [{ $ref: '#/$defs/second' }],
        } as JsonObject;
        const ajv = ajvOf(root);
        if (ajv === undefined) return;
        for (const one of values) {
          const expected = ajv(one);
          if (expected === undefined) continue;
          opinions += 1;
          expect(verdict(root, one)).toEqual({ fits: expected, told: !expected });
        }
      }),
      { numRuns },
    );
    expect(opinions).toBeGreaterThan(numRuns);
  }, 60_000);

  test('gives the same verdict with and without reports', () => {
    fc.assert(
      fc.property(schema, value, (one, on) => {
        const root = { allOf: [one] } as JsonObject;
        const silent = new SchemaCheckRun(root);
        expect(silent.judge(root, on, undefined, false)).toBe(verdict(root, on).fits);
        expect(silent.misfits).toEqual([]);
      }),
      { numRuns: runs(1_000) },
    );
  });

  test('is aborted after two million steps, and not before', () => {
    const twice = (items: number): JsonObject => ({
      allOf: Array(2).fill({ items: { type: 'number' } }),
      maxItems: items,
    });
    const judgedAfter = (steps: number, items: number) => {
      const judging = new SchemaCheckRun(twice(items));
      for (let step = 0; step < steps; step += 1) judging.step();
      return judging.judge(twice(items), Array(items).fill(1), undefined, true);
    };
    expect(judgedAfter(1_990_000, 4_500)).toBe(true);
    expect(() => judgedAfter(1_990_000, 5_000)).toThrow(CheckGivenUp);
  });
});
