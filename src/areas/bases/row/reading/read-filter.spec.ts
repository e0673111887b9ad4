import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { anyJsonObject } from '../../../../../test/support/any-json.js';
import type { Json, JsonObject } from '../../../../kernel/json/json.js';
import { Refusal } from '../../../../kernel/refusals/refusal.js';
import { checkComparison, type Filter, matchesFilter } from '../../../../kernel/rows/row-filter.js';
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

  it('of several keys, and several operators of one field, means all of them', () => {
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
    [{ text: {} }, 'filter.text', 'must be a value, or name an operator'],
    [{ text: { like: 'a' } }, 'filter.text.like', /^is no operator of the type text, which knows eq, .*startsWith/],
    [{ text: { constructor: 'a' } }, 'filter.text.constructor', 'is no operator'],
    [{ text: { eqIgnoringCase: 'a' } }, 'filter.text.eqIgnoringCase', 'is no operator'],
    [{ text: { contains: '' } }, 'filter.text.contains', 'must not be empty'],
    [{ text: { contains: 'x'.repeat(4_001) } }, 'filter.text.contains', 'at most 4000 characters'],
    [{ text: { in: 'a' } }, 'filter.text.in', 'must be a list'],
    [{ text: { in: ['a', null] } }, 'filter.text.in', 'has an entry 2 that must be a text'],
    [{ text: { isEmpty: 'yes' } }, 'filter.text.isEmpty', 'must be true or false'],
    [{ text: '\uD800' }, 'filter.text', 'well-formed'],
    [{ number: '1' }, 'filter.number', 'must be a number'],
    [{ number: Number.NaN }, 'filter.number', 'must be a number'],
    [{ number: { gt: Number.POSITIVE_INFINITY } }, 'filter.number.gt', 'must be a number'],
    [{ number: { contains: '1' } }, 'filter.number.contains', 'is no operator of the type number'],
    [{ number: { gt: null } }, 'filter.number.gt', 'must be a number'],
    [{ boolean: 1 }, 'filter.boolean', 'must be true or false'],
    [{ boolean: { lt: true } }, 'filter.boolean.lt', 'is no operator'],
    [{ date: '22.11.2026' }, 'filter.date', 'must be a date'],
    [{ date: { lt: '2026-02-30' } }, 'filter.date.lt', 'must be a date'],
    [{ dateTime: { gt: '2026-11-22T10:00:00' } }, 'filter.dateTime.gt', 'must be a date-time with its offset'],
    [{ createdAt: 5 }, 'filter.createdAt', 'must be a date-time'],
    [{ multiSelect: { gt: 'a' } }, 'filter.multiSelect.gt', 'is no operator'],
    [{ multiSelect: 1 }, 'filter.multiSelect', 'must be a text'],
    [{ json: { gt: 1 } }, 'filter.json.gt', 'is no operator'],
    [{ json: { a: 1 } }, 'filter.json.a', 'is no operator'],
    [{ any: { text: 'a' } }, 'filter.any', 'must be a list of filters'],
    [{ all: ['a'] }, 'filter.all[0]', 'must be a filter'],
    [{ not: [] }, 'filter.not', 'must be a filter'],
    [{ any: [{ all: [{ number: 'x' }] }] }, 'filter.any[0].all[0].number', 'must be a number'],
  ] as readonly [JsonObject, string, string | RegExp][])('%j is refused', (sent, path, message) => {
    expect(refused(sent)).toEqual(invalid(path, message));
  });

  test.each<object>([{ colour: 1 }, { any: [{ not: { colour: { gt: 1 } } }] }, { toString: 'a' }])(
    'with the unknown field of %j is refused with the fields that there are',
    (sent) => {
      expect(refused(sent as JsonObject)).toMatchObject({ code: 'unknown-field', fields: [...fieldTypes] });
    },
  );

  it('with a member __proto__ is refused as any unknown field', () => {
    expect(refused(JSON.parse('{"__proto__": {"eq": 1}}') as JsonObject)).toMatchObject({ code: 'unknown-field' });
  });

  it('nests 8 deep, and no deeper', () => {
    expect(refused(nested(8))).toBeUndefined();
    expect(refused(nested(9))).toMatchObject({ code: 'invalid-input' });
    expect(refused(nested(500))).toMatchObject({ code: 'invalid-input' });
  });

  it('has 500 comparisons at most', () => {
    const any = Array.from({ length: 500 }, () => ({ text: 'a' }));
    expect(refused({ any })).toBeUndefined();
    expect(refused({ any, number: 1 })).toEqual(invalid('filter', 'at most 500 comparisons'));
  });

  it('takes a list of 100,000 values, and refuses a longer one', () => {
    const values = Array.from({ length: 100_001 }, (_, n) => n);
    expect(refused({ number: { in: values.slice(1) } })).toBeUndefined();
    expect(refused({ number: { in: values } })).toEqual(invalid('filter.number.in', 'at most 100000 values'));
  });
});

describe('an order', () => {
  const refusedSort = (sort: readonly Json[]) => refusalOf(() => readSort(table, sort));

  it('names fields and what every row has, ascending where nothing is said', () => {
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
    [{ field: 'text', direction: 'asc' }, 'sort[0].direction', 'is not known'],
    [{ field: 'json' }, 'sort[0].field', 'has no order'],
    [{ field: 'multiSelect' }, 'sort[0].field', 'has no order'],
  ] as readonly [Json, string, string][])('%j is refused', (entry, path, message) => {
    expect(refusedSort([entry])).toEqual(invalid(path, message));
  });

  it('names a field once, and twenty at most', () => {
    expect(refusedSort([{ field: 'text' }, { field: 'text' }])).toEqual(invalid('sort[1].field', 'twice'));
    expect(refusedSort(Array(21).fill({ field: 'text' }))).toEqual(invalid('sort', 'at most 20'));
  });

  it('by an unknown field is refused with the fields that there are', () => {
    expect(refusedSort([{ field: 'constructor' }])).toMatchObject({ code: 'unknown-field', fields: [...fieldTypes] });
  });
});

const comparisonsOf = (filter: Filter): readonly Filter[] => {
  if ('all' in filter) return filter.all.flatMap(comparisonsOf);
  if ('any' in filter) return filter.any.flatMap(comparisonsOf);
  return 'not' in filter ? comparisonsOf(filter.not) : [filter];
};

describe('whatever is sent', () => {
  const names = fc.constantFrom(...fieldTypes, 'id', 'createdAt', 'createdBy', 'any', 'all', 'not', 'no');
  const operators = ['eq', 'ne', 'gt', 'in', 'nin', 'contains', 'startsWith', 'isEmpty', 'toString'] as const;
  const value = anyJsonObject.map((object) => (Object.values(object)[0] as Json | undefined) ?? null);
  const { filter } = fc.letrec<{ filter: JsonObject }>((tie) => ({
    filter: fc.dictionary(
      names,
      fc.oneof(
        { maxDepth: 3 },
        value,
        fc.dictionary(fc.constantFrom(...operators), value),
        tie('filter'),
        fc.array(tie('filter'), { maxLength: 3 }),
      ) as fc.Arbitrary<Json>,
    ),
  }));

  it('is refused, or read as a filter that has a meaning for every row', () => {
    fc.assert(
      fc.property(fc.oneof(filter, anyJsonObject as fc.Arbitrary<JsonObject>), value, (sent, held) => {
        if (refused(sent) !== undefined) return;
        const read = readFilter(table, sent);
        for (const one of comparisonsOf(read)) if ('operator' in one) checkComparison(one);
        const values = Object.fromEntries(table.fields.map(({ id }) => [id, held]));
        expect(typeof matchesFilter({ id: 'row_1', values }, read)).toBe('boolean');
      }),
    );
  });
});

/** An independent definition of a filter's meaning, over plain values by name. */
const meant = (row: JsonObject, filter: JsonObject): boolean =>
  Object.entries(filter).every(([key, value]) => {
    if (key === 'not') return !meant(row, value as JsonObject);
    if (key === 'any') return (value as readonly JsonObject[]).some((one) => meant(row, one));
    if (key === 'all') return (value as readonly JsonObject[]).every((one) => meant(row, one));
    const tests = typeof value === 'object' && value !== null ? Object.entries(value) : [['eq', value] as const];
    return tests.every(([operator, operand]) => holds(row[key] ?? null, operator, operand as Json));
  });

function holds(held: Json, operator: string, operand: Json): boolean {
  const isEmpty = held === null || held === '';
  const order = (sign: (held: number | string, operand: number | string) => boolean) =>
    held !== null && sign(held as number, operand as number);
  switch (operator) {
    case 'eq':
      return operand === null ? isEmpty : held === operand;
    case 'ne':
      return operand === null ? !isEmpty : held !== operand;
    case 'in':
      return (operand as readonly Json[]).includes(held);
    case 'nin':
      return !(operand as readonly Json[]).includes(held);
    case 'gt':
      return order((a, b) => a > b);
    case 'lte':
      return order((a, b) => a <= b);
    case 'startsWith':
      return typeof held === 'string' && held.startsWith(String(operand));
    case 'contains':
      return typeof held === 'string' && held.includes(String(operand));
    default:
      return isEmpty;
  }
}

describe('a filter that is read', () => {
  const texts = fc.constantFrom('a', 'ab', 'b', 'ba');
  const numbers = fc.constantFrom(-1, 0, 0.5, 2);
  const ofTexts = fc.oneof(
    texts,
    fc.constant(null),
    fc.record(
      { eq: texts, ne: texts, gt: texts, lte: texts, contains: texts, startsWith: texts },
      { requiredKeys: [] },
    ),
    fc.record({ in: fc.array(texts), isEmpty: fc.constant(true) }, { requiredKeys: [] }),
  );
  const ofNumbers = fc.oneof(
    numbers,
    fc.record({ eq: fc.option(numbers), ne: fc.option(numbers), gt: numbers, lte: numbers }, { requiredKeys: [] }),
    fc.record({ nin: fc.array(numbers) }),
  );
  const hasTests = (filter: object) =>
    Object.values(filter).every((one) => typeof one !== 'object' || one === null || Object.keys(one).length > 0);
  const { filter } = fc.letrec<{ filter: JsonObject }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 4, depthIdentifier: 'filters' },
      fc
        .record({ text: ofTexts, number: ofNumbers }, { requiredKeys: [] })
        .filter(hasTests) as fc.Arbitrary<JsonObject>,
      fc.record({ not: tie('filter') }),
      fc.record(
        { any: fc.array(tie('filter'), { maxLength: 3 }), all: fc.array(tie('filter'), { maxLength: 3 }) },
        { requiredKeys: [] },
      ) as fc.Arbitrary<JsonObject>,
    ),
  }));
  const rows = fc.record({ text: fc.option(fc.oneof(texts, fc.constant(''))), number: fc.option(numbers) });

  it('keeps the rows that it means', () => {
    fc.assert(
      fc.property(filter, fc.array(rows, { minLength: 1, maxLength: 10 }), (sent, all) => {
        const read = readFilter(table, sent);
        const kept = all.map(({ text, number }) =>
          matchesFilter({ id: 'row_1', values: { fld_text: text, fld_number: number } }, read),
        );
        expect(kept).toEqual(all.map((row) => meant(row, sent)));
      }),
    );
  });
});
