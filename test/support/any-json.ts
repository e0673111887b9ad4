import fc from 'fast-check';

/**
 * Generates any code point except surrogates. It is the unit `binary` of fast-check without its table of a million
 * characters, which takes a second and 100 MB.
 */
export const codePoint: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10_f7ff })
  .map((point) => String.fromCodePoint(point < 0xd800 ? point : point + 0x800));

/** Includes lone surrogates. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: codePoint }),
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
