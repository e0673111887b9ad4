import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { anyJsonObject } from '../../../../../test/support/any-json.js';
import type { Json, JsonObject } from '../../../../kernel/json/json.js';
import { Refusal } from '../../../../kernel/refusals/refusal.js';
import { type FieldType, fieldTypes, type TableField } from '../../table/table.record.js';
import { changedValues, largestRow, mustFit } from './field-values.js';

const field = (type: FieldType, name: string = type): TableField => ({
  id: `fld_${name}`,
  name,
  type,
  required: false,
  unique: false,
  indexed: false,
  accessRules: {},
  ...(type === 'select' || type === 'multiSelect' ? { options: ['a', 'b', 'c'] } : {}),
});
const table = { fields: fieldTypes.map((type) => field(type)) };

const refused = (values: JsonObject, of = table) => {
  try {
    changedValues(of, values);
  } catch (error) {
    if (error instanceof Refusal) return { code: error.code, ...error.facts };
    throw error;
  }
  return undefined;
};
const stored = (type: FieldType, value: Json) => changedValues(table, { [type]: value })[`fld_${type}`];

describe('values', () => {
  it('are stored under the ids of their fields, null for a field without one from now on', () => {
    expect(changedValues(table, { text: 'a', number: null })).toEqual({ fld_text: 'a', fld_number: null });
  });

  it.each([
    ['text', ''],
    ['text', 'ä\u0001 🍵\n'],
    ['longText', 'x'.repeat(100_000)],
    ['number', 1e308],
    ['number', -5e-324],
    ['integer', 9007199254740991],
    ['boolean', false],
    ['date', '2026-02-28'],
    ['date', '2024-02-29'],
    ['dateTime', '2026-11-22T10:00:00.000Z'],
    ['email', 'Ada@example.com'],
    ['url', 'https://example.com/a?b=ü#c'],
    ['phone', '+44 (0)20 7946-0958'],
    ['select', 'b'],
    ['multiSelect', ['c', 'a']],
    ['multiSelect', []],
    ['json', { a: [1, null, { b: 'c' }] }],
    ['json', []],
    ['json', false],
    ['file', 'file_01h'],
    ['relation', 'row_01h'],
    ['user', 'usr_01h'],
  ] as const)('of type %s may be %j', (type, value) => {
    expect(stored(type, value as Json)).toEqual(value);
  });

  it.each([
    ['number', -0, 0],
    ['integer', -0, 0],
    ['integer', 5.0, 5],
    ['json', [-0, { a: -0 }], [0, { a: 0 }]],
    ['dateTime', '2026-11-22', '2026-11-22T00:00:00.000Z'],
    ['dateTime', '2026-11-22T10:00+02:00', '2026-11-22T08:00:00.000Z'],
    ['dateTime', '2026-11-22T10:00:00.123456789Z', '2026-11-22T10:00:00.123Z'],
    ['multiSelect', ['b', 'b', 'a', 'b'], ['b', 'a']],
  ] as const)('of type %s are stored in one form: %j as %j', (type, value, form) => {
    expect(stored(type, value as Json)).toStrictEqual(form);
  });

  it.each([
    ['text', 1],
    ['text', '\uD800'],
    ['longText', ['a']],
    ['number', '1'],
    ['number', Number.NaN],
    ['number', Number.POSITIVE_INFINITY],
    ['number', true],
    ['integer', 1.5],
    ['integer', 9007199254740992],
    ['integer', 1e300],
    ['boolean', 0],
    ['boolean', 'true'],
    ['date', '2026-02-30'],
    ['date', '2025-02-29'],
    ['date', '22.11.2026'],
    ['date', '2026-11-22T00:00:00Z'],
    ['date', '2026-1-2'],
    ['date', 1763769600000],
    ['dateTime', '2026-11-22T10:00:00'],
    ['dateTime', '2026-11-22 10:00Z'],
    ['dateTime', '2026-11-22T25:00:00Z'],
    ['dateTime', '9999-12-31T23:59:59-14:00'],
    ['dateTime', '0000-01-01T00:00:00+14:00'],
    ['dateTime', 'tomorrow'],
    ['email', 'ada'],
    ['email', `${'a'.repeat(250)}@example.com`],
    ['url', 'example.com'],
    ['url', 'javascript:alert(1)'],
    ['url', 'https://'],
    ['url', 'https://a b'],
    ['phone', 'call me'],
    ['phone', '+-()'],
    ['select', 'd'],
    ['select', 'toString'],
    ['select', ['a']],
    ['multiSelect', 'a'],
    ['multiSelect', ['a', 'd']],
    ['multiSelect', [['a']]],
    ['json', { 'a\uD800': 1 }],
    ['json', ['\uDC00']],
    ['file', ''],
    ['relation', { id: 'row_1' }],
    ['relation', ['row_1']],
    ['user', 'a b'],
  ] as const)('of type %s are not %j', (type, value) => {
    expect(refused({ [type]: value as Json })).toMatchObject({
      code: 'invalid-input',
      errors: [{ path: `values.${type}`, message: expect.stringMatching(/^must /) }],
    });
  });

  it('of type json nest 100 deep at most', () => {
    const nested = (depth: number): Json => (depth === 0 ? 1 : [nested(depth - 1)]);
    expect(stored('json', nested(100))).toEqual(nested(100));
    expect(refused({ json: nested(101) })).toMatchObject({ code: 'invalid-input' });
  });

  it('of an unknown field are refused with the names of the fields', () => {
    expect(refused({ text: 'a', colour: 1 })).toMatchObject({ code: 'unknown-field', fields: [...fieldTypes] });
  });

  test.each(['constructor', 'toString', 'hasOwnProperty', 'id', 'createdAt', '__proto__', '$where'])(
    'of a field named %s are refused if the table has none',
    (name) => {
      const values = JSON.parse(`{${JSON.stringify(name)}: "x"}`) as JsonObject;
      expect(refused(values)).toMatchObject({ code: 'unknown-field' });
    },
  );

  test.each(['constructor', 'toString', 'hasOwnProperty', '$where', 'a.b'])(
    'of a field named %s are stored',
    (name) => {
      const of = { fields: [field('text', name)] };
      expect(changedValues(of, { [name]: 'x' })).toEqual({ [`fld_${name}`]: 'x' });
      expect(changedValues(of, {})).toEqual({});
    },
  );

  it('that are wrong are all reported, up to twenty', () => {
    const of = { fields: Array.from({ length: 30 }, (_, n) => field('text', `f${n}`)) };
    const values = Object.fromEntries(of.fields.map(({ name }) => [name, 1]));
    expect(refused(values, of)?.errors).toHaveLength(20);
  });

  it('of a row may have 256 KB of JSON together', () => {
    const fits = (values: JsonObject) => {
      try {
        mustFit(values);
        return true;
      } catch (error) {
        expect(error).toMatchObject({ code: 'row-too-large' });
        return false;
      }
    };
    const room = largestRow - '{"fld_text":""}'.length;
    expect(fits({ fld_text: 'x'.repeat(room) })).toBe(true);
    expect(fits({ fld_text: 'x'.repeat(room + 1) })).toBe(false);
    expect(fits({ fld_text: 'ä'.repeat(room / 2 + 1) })).toBe(false);
  });
});

describe('any input', () => {
  it('is refused or stored in a normal form that JSON preserves', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...fieldTypes),
        fc.oneof(
          anyJsonObject.map((object) => (Object.values(object)[0] as Json) ?? null),
          textsOfNote,
        ),
        (type, value) => {
          const of = { fields: [field(type)] };
          const sent = { [type]: value };
          if (refused(sent, of) !== undefined) return;
          const once = changedValues(of, sent)[`fld_${type}`] ?? null;
          // Not compared by `toStrictEqual`, which would take a value's member named `constructor` for its class.
          const again = [JSON.parse(JSON.stringify(once)), changedValues(of, { [type]: once })[`fld_${type}`]];
          expect([again, isDeepStrictEqual(again, [once, once])]).toEqual([[once, once], true]);
        },
      ),
    );
  });
});

const textsOfNote: fc.Arbitrary<Json> = fc.oneof(
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10)),
  fc.subarray(['a', 'b', 'c', 'a']),
  fc.webUrl(),
  fc.emailAddress(),
  fc.double(),
);
