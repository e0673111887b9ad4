import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyJsonObject } from '../../../../../test/support/any-json.js';
import type { Json, JsonObject } from '../../../../kernel/json/json.js';
import { Refusal } from '../../../../kernel/refusals/refusal.js';
import { checkComparison, type Filter, matchesFilter } from '../../../../kernel/rows/row-filter.js';
import { type FieldType, fieldTypes, type TableField } from '../../table/table.record.js';
import { readFilter } from './read-filter.js';

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

const comparisonsOf = (filter: Filter): readonly Filter[] => {
  if ('all' in filter) return filter.all.flatMap(comparisonsOf);
  if ('any' in filter) return filter.any.flatMap(comparisonsOf);
  return 'not' in filter ? comparisonsOf(filter.not) : [filter];
};

describe('any input', () => {
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

  it('is refused, or read as a filter that can be applied to every row', () => {
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

describe('a filter after reading', () => {
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

  it('matches the intended rows', () => {
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
