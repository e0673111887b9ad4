import { describe, expect, it, test } from '@jest/globals';
import type { Json, JsonObject } from '../../../../kernel/json/json.js';
import { Refusal } from '../../../../kernel/refusals/refusal.js';
import { type FieldType, fieldTypes, type TableField } from '../../table/table.record.js';
import { readFilter, readSort } from './read-filter.js';

const field = (type: FieldType, name: string = type): TableField => ({
  id: `fld_${name}`,
  name,
  type,
  required: false,
  unique: false,
  indexed: false,
  accessRules: {},
  ...(type === 'select' || type === 'multiSelect' ? { options: ['a', 'b'] } : {}),
});
const table = { fields: fieldTypes.map((type) => field(type)) };

const refusalOf = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    if (error instanceof Refusal) return { code: error.code, ...error.facts };
    throw error;
  }
  return undefined;
};
const refused = (filter: JsonObject, of = table) => refusalOf(() => readFilter(of, filter));
const invalid = (path: string, message: string | RegExp) => ({
  code: 'invalid-input',
  errors: [{ path, message: expect.stringMatching(message) }],
});
const comparing = (name: string, kind: string, operator: string, value?: Json) => ({
  field: `values.fld_${name}`,
  kind,
  operator,
  ...(value === undefined ? {} : { value }),
});
const nested = (levels: number): JsonObject => (levels === 0 ? { text: 'a' } : { not: nested(levels - 1) });

describe('a filter', () => {
  it.each([
    [{ text: 'a' }, comparing('text', 'text', 'eq', 'a')],
    [{ text: null }, comparing('text', 'text', 'isEmpty')],
    [{ text: { eq: null } }, comparing('text', 'text', 'isEmpty')],
    [{ text: { ne: null } }, comparing('text', 'text', 'isNotEmpty')],
    [{ text: { isEmpty: true } }, comparing('text', 'text', 'isEmpty')],
    [{ text: { isEmpty: false } }, comparing('text', 'text', 'isNotEmpty')],
    [{ text: { isNotEmpty: null } }, comparing('text', 'text', 'isNotEmpty')],
    [{ number: { gte: 1.5 } }, comparing('number', 'number', 'gte', 1.5)],
    [{ integer: { lt: 1.5 } }, comparing('integer', 'number', 'lt', 1.5)],
    [{ boolean: false }, comparing('boolean', 'boolean', 'eq', false)],
    [{ date: { in: ['2026-11-22'] } }, comparing('date', 'text', 'in', ['2026-11-22'])],
    [{ date: { startsWith: '2026-11' } }, comparing('date', 'text', 'startsWith', '2026-11')],
    [{ dateTime: { gt: '2026-11-22' } }, comparing('dateTime', 'text', 'gt', '2026-11-22T00:00:00.000Z')],
    [{ dateTime: '2026-11-22T01:00+01:00' }, comparing('dateTime', 'text', 'eq', '2026-11-22T00:00:00.000Z')],
    [{ select: 'an option that is gone' }, comparing('select', 'text', 'eq', 'an option that is gone')],
    [{ multiSelect: { contains: 'a' } }, comparing('multiSelect', 'list', 'contains', 'a')],
    [{ multiSelect: ['a', 'b'] }, comparing('multiSelect', 'list', 'eq', ['a', 'b'])],
    [{ json: { eq: { a: 1 } } }, comparing('json', 'json', 'eq', { a: 1 })],
    [{ json: { isEmpty: true } }, comparing('json', 'json', 'isEmpty')],
    [{ text: { in: [] } }, comparing('text', 'text', 'in', [])],
    [{ id: 'row_1' }, { field: 'id', kind: 'text', operator: 'eq', value: 'row_1' }],
    [{ createdBy: null }, { field: 'createdBy', kind: 'text', operator: 'isEmpty' }],
    [
      { createdAt: { lt: '2026-11-22' } },
      { field: 'createdAt', kind: 'text', operator: 'lt', value: '2026-11-22T00:00:00.000Z' },
    ],
    [{}, { all: [] }],
    [{ any: [] }, { any: [] }],
    [{ not: {} }, { not: { all: [] } }],
  ] as readonly [JsonObject, object][])('%j is read', (sent, filter) => {
    expect(readFilter(table, sent)).toEqual(filter);
  });

  it('of several keys, and several operators of one field, requires all of them', () => {
    expect(readFilter(table, { number: { gt: 1, lt: 3 }, any: [{ text: 'a' }, { not: { boolean: true } }] })).toEqual({
      all: [
        comparing('number', 'number', 'gt', 1),
        comparing('number', 'number', 'lt', 3),
        { any: [comparing('text', 'text', 'eq', 'a'), { not: comparing('boolean', 'boolean', 'eq', true) }] },
      ],
    });
  });

  it.each([
    [{ text: 1 }, 'filter.text', 'must be a text'],
    [{ text: { gt: 1 } }, 'filter.text.gt', 'must be a text'],
    [{ text: ['a'] }, 'filter.text', 'must be a text'],
    [{ text: {} }, 'filter.text', 'must be a value, or an operator'],
    [
      { text: { like: 'a' } },
      'filter.text.like',
      /^is not an operator of the type text; its operators are eq, .*startsWith/,
    ],
    [{ text: { constructor: 'a' } }, 'filter.text.constructor', 'is not an operator'],
    [{ text: { eqIgnoringCase: 'a' } }, 'filter.text.eqIgnoringCase', 'is not an operator'],
    [{ text: { contains: '' } }, 'filter.text.contains', 'must not be empty'],
    [{ text: { contains: 'x'.repeat(4_001) } }, 'filter.text.contains', 'at most 4000 characters'],
    [{ text: { in: 'a' } }, 'filter.text.in', 'must be a list'],
    [{ text: { in: ['a', null] } }, 'filter.text.in', 'has an invalid entry 2, which must be a text'],
    [{ text: { isEmpty: 'yes' } }, 'filter.text.isEmpty', 'must be true or false'],
    [{ text: '\uD800' }, 'filter.text', 'well-formed'],
    [{ number: '1' }, 'filter.number', 'must be a number'],
    [{ number: Number.NaN }, 'filter.number', 'must be a number'],
    [{ number: { gt: Number.POSITIVE_INFINITY } }, 'filter.number.gt', 'must be a number'],
    [{ number: { contains: '1' } }, 'filter.number.contains', 'is not an operator of the type number'],
    [{ number: { gt: null } }, 'filter.number.gt', 'must be a number'],
    [{ boolean: 1 }, 'filter.boolean', 'must be true or false'],
    [{ boolean: { lt: true } }, 'filter.boolean.lt', 'is not an operator'],
    [{ date: '22.11.2026' }, 'filter.date', 'must be a date'],
    [{ date: { lt: '2026-02-30' } }, 'filter.date.lt', 'must be a date'],
    [{ dateTime: { gt: '2026-11-22T10:00:00' } }, 'filter.dateTime.gt', 'must be a date-time with its offset'],
    [{ createdAt: 5 }, 'filter.createdAt', 'must be a date-time'],
    [{ multiSelect: { gt: 'a' } }, 'filter.multiSelect.gt', 'is not an operator'],
    [{ multiSelect: 1 }, 'filter.multiSelect', 'must be a text'],
    [{ json: { gt: 1 } }, 'filter.json.gt', 'is not an operator'],
    [{ json: { a: 1 } }, 'filter.json.a', 'is not an operator'],
    [{ any: { text: 'a' } }, 'filter.any', 'must be a list of filters'],
    [{ all: ['a'] }, 'filter.all[0]', 'must be a filter'],
    [{ not: [] }, 'filter.not', 'must be a filter'],
    [{ any: [{ all: [{ number: 'x' }] }] }, 'filter.any[0].all[0].number', 'must be a number'],
  ] as readonly [JsonObject, string, string | RegExp][])('refuses the filter %j', (sent, path, message) => {
    expect(refused(sent)).toEqual(invalid(path, message));
  });

  test.each<object>([{ colour: 1 }, { any: [{ not: { colour: { gt: 1 } } }] }, { toString: 'a' }])(
    'with the unknown field of %j is refused with the names of the fields',
    (sent) => {
      expect(refused(sent as JsonObject)).toMatchObject({ code: 'unknown-field', fields: [...fieldTypes] });
    },
  );

  it('with a member __proto__ is refused like any unknown field', () => {
    expect(refused(JSON.parse('{"__proto__": {"eq": 1}}') as JsonObject)).toMatchObject({ code: 'unknown-field' });
  });

  it('may nest 8 levels deep, and no deeper', () => {
    expect(refused(nested(8))).toBeUndefined();
    expect(refused(nested(9))).toMatchObject({ code: 'invalid-input' });
    expect(refused(nested(500))).toMatchObject({ code: 'invalid-input' });
  });

  it('may have 500 comparisons', () => {
    const any = Array.from({ length: 500 }, () => ({ text: 'a' }));
    expect(refused({ any })).toBeUndefined();
    expect(refused({ any, number: 1 })).toEqual(invalid('filter', 'at most 500 comparisons'));
  });

  it('accepts a list of 100,000 values, and refuses a longer one', () => {
    const values = Array.from({ length: 100_001 }, (_, n) => n);
    expect(refused({ number: { in: values.slice(1) } })).toBeUndefined();
    expect(refused({ number: { in: values } })).toEqual(invalid('filter.number.in', 'at most 100000 values'));
  });
});

describe('an order', () => {
  const refusedSort = (sort: readonly Json[]) => refusalOf(() => readSort(table, sort));

  it('names fields and common members of rows, ascending by default', () => {
    expect(readSort(table, [{ field: 'text', dir: 'desc' }, { field: 'createdAt' }])).toEqual([
      ['values.fld_text', 'desc'],
      ['createdAt', 'asc'],
    ]);
    expect(readSort(table, [])).toEqual([]);
  });

  it.each([
    ['text', 'sort[0]', 'must be'],
    [{ field: 1 }, 'sort[0].field', 'must be the name'],
    [{ field: 'text', dir: 'down' }, 'sort[0].dir', 'must be'],
    [{ field: 'text', direction: 'asc' }, 'sort[0].direction', 'is unknown'],
    [{ field: 'json' }, 'sort[0].field', 'has no order'],
    [{ field: 'multiSelect' }, 'sort[0].field', 'has no order'],
  ] as readonly [Json, string, string][])('refuses the order %j', (entry, path, message) => {
    expect(refusedSort([entry])).toEqual(invalid(path, message));
  });

  it('names a field once, and twenty at most', () => {
    expect(refusedSort([{ field: 'text' }, { field: 'text' }])).toEqual(invalid('sort[1].field', 'twice'));
    expect(refusedSort(Array(21).fill({ field: 'text' }))).toEqual(invalid('sort', 'at most 20'));
  });

  it('by an unknown field is refused with the names of the fields', () => {
    expect(refusedSort([{ field: 'constructor' }])).toMatchObject({ code: 'unknown-field', fields: [...fieldTypes] });
  });
});
