import fc from 'fast-check';

/** Includes lone surrogates. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.array(fc.integer({ min: 0xd7f0, max: 0xe00f }), { maxLength: 4 }).map((units) => String.fromCharCode(...units)),
);
const key = fc.oneof(fc.constantFrom('__proto__', 'constructor', 'toString', '', '0', '10'), text);

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'json' },
    fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
  ),
}));

/** Generates objects with any JSON values. Some keys are names that every object inherits, such as `__proto__`. */
export const anyJsonObject: fc.Arbitrary<object> = fc
  .array(fc.tuple(key, value), { maxLength: 5 })
  .map((entries) => Object.fromEntries(entries));
