import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyJsonObject } from '../../../../../test/support/any-json.js';
import type { Json, JsonObject } from '../../../../kernel/json/json.js';
import { Refusal } from '../../../../kernel/refusals/refusal.js';
import { checkGrouping, reported } from '../../../../kernel/rows/row-report.js';
import { type FieldType, fieldTypes, type TableField } from '../../table/table.record.js';
import { readReport } from './read-report.js';

const field = (type: FieldType): TableField => ({
  id: `fld_${type}`,
  name: type,
  type,
  required: false,
  unique: false,
  indexed: false,
  accessRules: {},
});
const table = { fields: fieldTypes.map(field) };
const count = { op: 'count' };
const refused = (spec: JsonObject) => {
  try {
    readReport(table, spec);
  } catch (error) {
    if (error instanceof Refusal) return { code: error.code, ...error.facts };
    throw error;
  }
  return undefined;
};
const invalid = (path: string, message: string | RegExp) => ({
  code: 'invalid-input',
  errors: [{ path, message: expect.stringMatching(message) }],
});

describe('a report', () => {
  it('is read with the names of its parts, and 1,000 groups by default', () => {
    expect(
      readReport(table, {
        groupBy: ['select', { field: 'dateTime', by: 'week' }, { field: 'createdAt', by: 'year' }],
        measures: [
          count,
          { op: 'count', field: 'text' },
          { op: 'sum', field: 'number', as: 'total' },
          { op: 'max', field: 'date' },
        ],
        filter: { boolean: true },
        sort: [{ field: 'total', dir: 'desc' }, { field: 'select' }],
      }),
    ).toEqual({
      by: [
        { as: 'select', field: 'values.fld_select', kind: 'text' },
        { as: 'dateTime', field: 'values.fld_dateTime', kind: 'text', unit: 'week' },
        { as: 'createdAt', field: 'createdAt', kind: 'text', unit: 'year' },
      ],
      measures: [
        { as: 'count', op: 'count' },
        { as: 'count_text', op: 'count', field: 'values.fld_text' },
        { as: 'total', op: 'sum', field: 'values.fld_number', kind: 'number' },
        { as: 'max_date', op: 'max', field: 'values.fld_date', kind: 'text' },
      ],
      filter: { field: 'values.fld_boolean', kind: 'boolean', operator: 'eq', value: true },
      sort: [
        ['total', 'desc'],
        ['select', 'asc'],
      ],
      limit: 1_000,
    });
    expect(readReport(table, { measures: [count], limit: 10_000 })).toEqual({
      by: [],
      measures: [{ as: 'count', op: 'count' }],
      sort: [],
      limit: 10_000,
    });
  });

  it.each([
    [{}, 'spec.measures', 'is required'],
    [{ measures: [] }, 'spec.measures', 'must not be empty'],
    [{ measures: count }, 'spec.measures', 'must be a list'],
    [{ measures: ['count'] }, 'spec.measures[0]', 'must be'],
    [{ measures: Array.from({ length: 51 }, (_, n) => ({ op: 'count', as: `c${n}` })) }, 'spec.measures', 'at most 50'],
    [{ measures: [{ op: 'median', field: 'number' }] }, 'spec.measures[0].op', 'must be one of: count, sum'],
    [{ measures: [{ op: 'sum' }] }, 'spec.measures[0].field', 'is required for sum'],
    [{ measures: [{ op: 'sum', field: 'text' }] }, 'spec.measures[0].field', 'must not be of type text for sum'],
    [{ measures: [{ op: 'avg', field: 'boolean' }] }, 'spec.measures[0].field', 'must not be of type boolean'],
    [{ measures: [{ op: 'min', field: 'json' }] }, 'spec.measures[0].field', 'must not be of type json'],
    [{ measures: [{ op: 'min', field: 1 }] }, 'spec.measures[0].field', 'must be the name'],
    [{ measures: [{ ...count, as: '__proto__' }] }, 'spec.measures[0].as', 'must be another name'],
    [{ measures: [{ ...count, as: '' }] }, 'spec.measures[0].as', 'must not be empty'],
    [{ measures: [{ ...count, as: 1 }] }, 'spec.measures[0].as', 'must be a name'],
    [{ measures: [{ ...count, name: 'x' }] }, 'spec.measures[0].name', 'is unknown'],
    [{ measures: [count, count] }, 'spec', "two parts named 'count'"],
    [{ measures: [{ ...count, as: 'text' }], groupBy: ['text'] }, 'spec', "two parts named 'text'"],
    [{ measures: [count], groupBy: 'text' }, 'spec.groupBy', 'must be a list'],
    [{ measures: [count], groupBy: [1] }, 'spec.groupBy[0]', 'must be the name'],
    [{ measures: [count], groupBy: [{ by: 'day' }] }, 'spec.groupBy[0].field', 'must be the name'],
    [{ measures: [count], groupBy: [{ field: 'text', by: 'day' }] }, 'spec.groupBy[0].by', 'must be omitted'],
    [{ measures: [count], groupBy: [{ field: 'date', by: 'hour' }] }, 'spec.groupBy[0].by', 'must be one of: day'],
    [{ measures: [count], groupBy: [{ field: 'date', unit: 'day' }] }, 'spec.groupBy[0].unit', 'is unknown'],
    [{ measures: [count], groupBy: ['json'] }, 'spec.groupBy[0]', 'cannot be grouped'],
    [{ measures: [count], groupBy: ['multiSelect'] }, 'spec.groupBy[0]', 'cannot be grouped'],
    [{ measures: [count], groupBy: Array(21).fill('text') }, 'spec.groupBy', 'at most 20'],
    [{ measures: [count], filter: [] }, 'spec.filter', 'must be a filter'],
    [{ measures: [count], filter: { number: 'x' } }, 'spec.filter.number', 'must be a number'],
    [{ measures: [count], sort: [{ field: 'count', dir: 'up' }] }, 'spec.sort[0].dir', 'must be'],
    [{ measures: [count], limit: 0 }, 'spec.limit', 'from 1 to 10000'],
    [{ measures: [count], limit: 10_001 }, 'spec.limit', 'from 1 to 10000'],
    [{ measures: [count], limit: 1.5 }, 'spec.limit', 'from 1 to 10000'],
    [{ measures: [count], having: {} }, 'spec.having', 'is unknown'],
  ] as readonly [JsonObject, string, string][])('refuses the report %j', (spec, path, message) => {
    expect(refused(spec)).toEqual(invalid(path, message));
  });

  it.each([
    { measures: [{ op: 'sum', field: 'no' }] },
    { measures: [count], groupBy: ['constructor'] },
    { measures: [count], filter: { no: 1 } },
  ] as readonly JsonObject[])('over an unknown field, as in %j, is refused with the names of the fields', (spec) => {
    expect(refused(spec)).toMatchObject({ code: 'unknown-field', fields: [...fieldTypes] });
  });

  it('can be sorted only by its own parts', () => {
    expect(refused({ measures: [count], groupBy: ['text'], sort: [{ field: 'number' }] })).toMatchObject({
      code: 'unknown-field',
      fields: ['text', 'count'],
    });
  });

  it('is refused or valid, for any input', () => {
    const name = fc.constantFrom(...fieldTypes, 'createdAt', 'id', 'no');
    const value = anyJsonObject.map((object) => (Object.values(object)[0] as Json | undefined) ?? null);
    const entry = fc.record(
      {
        op: fc.constantFrom('count', 'sum', 'avg', 'min', 'max', 'no'),
        field: name,
        as: fc.constantFrom('a', 'b', 'count', ''),
        by: fc.constantFrom('day', 'week', 'no'),
        dir: fc.constantFrom('asc', 'desc'),
      },
      { requiredKeys: [] },
    );
    const entries = fc.oneof(fc.array(fc.oneof(entry, name), { maxLength: 3 }), value);
    const spec = fc.record(
      { measures: entries, groupBy: entries, sort: entries, limit: fc.oneof(fc.integer(), value), filter: value },
      { requiredKeys: ['measures'] },
    ) as fc.Arbitrary<JsonObject>;
    fc.assert(
      fc.property(spec, (sent) => {
        if (refused(sent) !== undefined) return;
        const { filter: _, ...grouping } = readReport(table, sent);
        checkGrouping(grouping);
        expect(reported([{ id: 'row_1', values: {} }], grouping)).toHaveLength(1);
      }),
    );
  });
});
