import { refuseInput } from '../../../../kernel/field/refuse-input.js';
import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/json/json.js';
import type { Filter } from '../../../../kernel/rows/row-filter.js';
import type { Sort } from '../../../../kernel/rows/row-order.js';
import type { Table } from '../../table/table.record.js';
import { requiredColumn } from './column.js';
import { comparisonOf } from './comparison-of.js';

type FieldsOf = Pick<Table, 'fields'>;

/** Maximum nesting of groups, including the outermost one. */
export const deepestFilter = 8;
/** Maximum number of comparisons in a filter. SQLite limits how many conditions can be chained. */
export const mostComparisons = 500;
export const mostSortFields = 20;

/**
 * A filter has the form `{ field: value | { operator: value } }`, `{ any: [filter] }`, `{ all: [filter] }` or `{ not:
 * filter }`. Several keys must all match.
 * @param path path of the filter in the input
 * @param comesLater whether a value is not known yet; then only its operator is checked
 * @throws Refusal unknown-field, invalid-input
 */
export function readFilter(
  table: FieldsOf,
  sent: JsonObject,
  path = 'filter',
  comesLater: (value: Json) => boolean = () => false,
): Filter {
  let left = mostComparisons;

  const group = (members: Json | undefined, at: string, depth: number): readonly Filter[] => {
    if (!Array.isArray(members)) return refuseInput([{ path: at, message: 'must be a list of filters' }]);
    return (members as readonly Json[]).map((one, index) => inner(one, `${at}[${index}]`, depth));
  };
  const inner = (one: Json | undefined, at: string, depth: number): Filter => {
    if (depth > deepestFilter) {
      return refuseInput([{ path: at, message: `must not nest deeper than ${deepestFilter} levels` }]);
    }
    return isJsonObject(one) ? filter(one, at, depth) : refuseInput([{ path: at, message: 'must be a filter' }]);
  };
  const compared = (name: string, value: Json, at: string): readonly Filter[] => {
    const column = requiredColumn(table, name, at);
    const tests: readonly (readonly [string, Json | undefined])[] =
      isJsonObject(value) && !comesLater(value) ? Object.entries(value) : [['eq', value]];
    if (tests.length === 0) {
      return refuseInput([{ path: at, message: 'must be a value, or an operator with a value such as { eq: value }' }]);
    }
    return tests.map(([operator, operand = null]) => {
      left -= 1;
      if (left < 0) refuseInput([{ path, message: `must have at most ${mostComparisons} comparisons` }]);
      const result = comparisonOf(column, operator, operand, comesLater);
      if ('filter' in result) return result.filter;
      return refuseInput([
        {
          path: isJsonObject(value) && !comesLater(value) ? `${at}.${operator.slice(0, 100)}` : at,
          message: result.wrong,
        },
      ]);
    });
  };
  const filter = (one: JsonObject, at: string, depth: number): Filter =>
    together(
      Object.entries(one).flatMap(([key, value]): readonly Filter[] => {
        if (value === undefined) return [];
        switch (key) {
          case 'any':
            return [{ any: group(value, `${at}.any`, depth + 1) }];
          case 'all':
            return [{ all: group(value, `${at}.all`, depth + 1) }];
          case 'not':
            return [{ not: inner(value, `${at}.not`, depth + 1) }];
          default:
            return compared(key, value, `${at}.${key}`);
        }
      }),
    );

  return filter(sent, path, 0);
}

function together(parts: readonly Filter[]): Filter {
  const [only] = parts;
  return only !== undefined && parts.length === 1 ? only : { all: parts };
}

/**
 * The form is `[{ field, dir }]`. The default of `dir` is `asc`.
 * @throws Refusal unknown-field, invalid-input
 */
export function readSort(table: FieldsOf, sent: readonly Json[], path = 'sort'): Sort {
  return sortOf(sent, path, (name, at) => {
    const column = requiredColumn(table, name, at);
    if (column.kind !== 'json' && column.kind !== 'list') return column.path;
    return refuseInput([{ path: at, message: `must not be of type ${column.type}, which has no order` }]);
  });
}

/** @param named returns the path of the column with this name, or throws */
export function sortOf(sent: readonly Json[], path: string, named: (name: string, at: string) => string): Sort {
  if (sent.length > mostSortFields) refuseInput([{ path, message: `must have at most ${mostSortFields} entries` }]);
  const seen = new Set<string>();
  return sent.map((one, index) => {
    const at = `${path}[${index}]`;
    if (!isJsonObject(one)) return refuseInput([{ path: at, message: 'must be { field, dir }' }]);
    const { field, dir = 'asc', ...others } = one;
    const [other] = Object.keys(others);
    if (other !== undefined) {
      refuseInput([{ path: `${at}.${other.slice(0, 100)}`, message: 'is unknown: an entry must be { field, dir }' }]);
    }
    if (typeof field !== 'string')
      return refuseInput([{ path: `${at}.field`, message: 'must be the name of a field' }]);
    if (dir !== 'asc' && dir !== 'desc')
      return refuseInput([{ path: `${at}.dir`, message: "must be 'asc' or 'desc'" }]);
    if (seen.has(field)) refuseInput([{ path: `${at}.field`, message: 'is listed twice' }]);
    seen.add(field);
    return [named(field, `${at}.field`), dir] as const;
  });
}
