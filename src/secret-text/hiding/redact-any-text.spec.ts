import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { codePoint } from '../../../test/support/any-json.js';
import { runs } from '../../../test/support/depth.js';
import type { Json } from '../../kernel/json/json.js';
import { Redactor } from './redactor.js';

const percent = (text: string) => encodeURIComponent(text);
const within = (text: string, before: number, alphabet: 'base64' | 'base64url') => {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]);
  return bytes.toString(alphabet).slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
};
const forms: readonly ((value: string) => string)[] = [
  (value) => value,
  percent,
  (value) => percent(value).replace(/%../g, (escaped) => escaped.toLowerCase()),
  (value) => percent(value).replaceAll('%20', '+'),
  (value) => new URLSearchParams([['', value]]).toString().slice(1),
  (value) => JSON.stringify(value).slice(1, -1),
  (value) => JSON.stringify(JSON.stringify(value).slice(1, -1)).slice(1, -1),
  (value) => Buffer.from(value).toString('base64'),
  (value) => Buffer.from(value).toString('base64url'),
];
const pieces: typeof forms = [0, 1, 2].flatMap((before) => [
  (value: string) => within(value, before, 'base64'),
  (value: string) => within(value, before, 'base64url'),
]);
const inBase64 = (before: string, value: string, after: string) =>
  Buffer.from(before + value + after).toString('base64');

const wild = fc.string({ unit: codePoint, minLength: 4, maxLength: 30 });
const few = fc.string({
  unit: fc.constantFrom('a', 'b', '*', '\\', '"', '%', '+', ' ', '/', 'ä', '1'),
  minLength: 4,
  maxLength: 8,
});
const secret = fc
  .oneof(wild, few, fc.string({ minLength: 4 }), fc.base64String({ minLength: 4 }))
  .filter((one) => one.trim().length >= 4);
const around = fc.oneof(
  fc.string(),
  fc.string({ unit: codePoint }),
  fc.constantFrom('\\', '"', '%', '%4', '\\u00', '=', 'a', 'ab', 'abc'),
);

describe('Redactor, for any text', () => {
  it('property: leaves a value in no encoding, anywhere in a text', () => {
    const part = fc.tuple(fc.nat(), fc.nat(forms.length), around, around);
    fc.assert(
      fc.property(
        fc.array(secret, { minLength: 1, maxLength: 3 }),
        fc.array(part, { maxLength: 4 }),
        (values, parts) => {
          const text = parts
            .map(([which, form, before, after]) => {
              const value = values[which % values.length] ?? '';
              const written = forms[form]?.(value) ?? inBase64(before, value, after);
              return before + written + after;
            })
            .join('');
          const { value: shown, hid } = new Redactor(values).text(text);
          expect(values.flatMap((value) => formsLeftIn(shown, value))).toEqual([]);
          if (parts.length > 0) expect(hid).toBe(true);
        },
      ),
      { numRuns: runs(2_000) },
    );
  });

  it('property: leaves a value in no encoding, anywhere in a JSON value', () => {
    const digits = fc.integer({ min: 1_000, max: 99_999_999 }).map(String);
    fc.assert(
      fc.property(
        fc.oneof(secret, digits),
        fc.nat(forms.length - 1),
        fc.jsonValue(),
        around,
        (value, form, given, before) => {
          const written = before + (forms[form]?.(value) ?? '');
          const json = { given, [written]: [written, Number(value), { deep: [given, written] }] } as Json;
          const shown = new Redactor([value]).json(json).value;
          expect(leavesOf(shown).flatMap((leaf) => formsLeftIn(leaf, value))).toEqual([]);
        },
      ),
      { numRuns: runs(1_000) },
    );
  });

  it('property: hides what a letter-by-letter search finds, and nothing else', () => {
    const letters = fc.constantFrom('a', 'b', 'ä', '😀');
    const values = fc.array(fc.string({ unit: letters, minLength: 4, maxLength: 7 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(values, fc.string({ unit: letters, maxLength: 60 }), (hidden, text) => {
        expect(new Redactor(hidden).text(text).value).toBe(letterByLetter(text, hidden));
      }),
      { numRuns: runs(3_000) },
    );
  });

  it('property: does not change a text and a JSON value without a secret', () => {
    const redactor = new Redactor(['Zq8-vX2_kP0w', 'long and with "quotes" and 100% of \\ it']);
    const text = fc.oneof(fc.string({ unit: codePoint }), fc.base64String(), fc.json(), fc.webUrl());
    fc.assert(
      fc.property(text, fc.jsonValue(), (given, json) => {
        expect(redactor.text(given)).toEqual({ value: given, hid: false });
        expect(redactor.json(json as Json).value).toBe(json);
      }),
      { numRuns: runs(500) },
    );
  });
});

function formsLeftIn(text: string, value: string): readonly string[] {
  return [...forms, ...pieces].map((form) => form(value)).filter((written) => text.includes(written));
}

function leavesOf(value: Json | undefined): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(leavesOf);
  if (typeof value !== 'object' || value === null)
    return typeof value === 'string' || typeof value === 'number' ? [String(value)] : [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...leavesOf(inner)]);
}

function letterByLetter(text: string, values: readonly string[]): string {
  const hidden = new Set<number>();
  for (const value of values)
    for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1))
      for (let inside = at; inside < at + value.length; inside += 1) hidden.add(inside);
  return text
    .split('')
    .map((unit, at) => (hidden.has(at) ? '\0' : unit))
    .join('')
    .replace(/\0+/g, '***');
}
