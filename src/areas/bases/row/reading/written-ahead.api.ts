import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../../../kernel/json/json.js';
import { type InvalidField, Refusal } from '../../../../kernel/refusals/refusal.js';
import type { Table } from '../../table/table.record.js';
import { changedValues } from './field-values.js';
import { readFilter, readSort } from './read-filter.js';

/**
 * A query or change of rows that is saved now and executed later. Some of its values are known only when it is
 * executed.
 */
export interface WrittenAhead {
  readonly filter?: JsonObject | undefined;
  readonly sort?: readonly JsonObject[] | undefined;
  readonly values?: JsonObject | undefined;
  readonly makesRow: boolean;
}

/**
 * Returns the errors that would make every execution fail on this table.
 * @param comesLater whether a value is not known yet
 * @param path prefix of the errors' paths
 */
export function wrongAhead(
  table: Table,
  { filter, sort, values, makesRow }: WrittenAhead,
  comesLater: (value: Json) => boolean,
  path: string,
): readonly InvalidField[] {
  const known = Object.entries(values ?? {}).filter(([, value]) => !hasLater(value ?? null, comesLater));
  return [
    ...wrongIn(() => filter && readFilter(table, filter, `${path}.filter`, comesLater)),
    ...wrongIn(() => sort && readSort(table, sort, `${path}.sort`)),
    ...wrongIn(() => changedValues(table, Object.fromEntries(known), `${path}.values`)),
    ...(values === undefined ? [] : withoutRequired(table, values, makesRow, `${path}.values`)),
  ];
}

function withoutRequired({ fields }: Table, values: JsonObject, makesRow: boolean, path: string) {
  return fields
    .filter(({ required }) => required)
    .filter(({ name }) => (Object.hasOwn(values, name) ? values[name] === null : makesRow))
    .map(({ name }): InvalidField => ({ path: `${path}.${name}`, message: 'is required by the table' }));
}

function hasLater(value: Json, comesLater: (value: Json) => boolean): boolean {
  if (comesLater(value)) return true;
  const inner = isJsonArray(value) ? value : isJsonObject(value) ? Object.values(value) : [];
  return inner.some((one) => hasLater(one ?? null, comesLater));
}

function wrongIn(check: () => unknown): readonly InvalidField[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof Refusal) || error.facts.errors === undefined) throw error;
    return error.facts.errors;
  }
}
