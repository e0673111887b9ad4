import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../../../kernel/json/json.js';
import { type InvalidField, Refusal } from '../../../../kernel/refusals/refusal.js';
import type { Table } from '../../table/table.record.js';
import { changedValues } from './field-values.js';
import { readFilter, readSort } from './read-filter.js';

/** A query or a change of rows that is defined before it is executed. Some of its values are known only then. */
export interface WrittenAhead {
  readonly filter?: JsonObject | undefined;
  readonly sort?: readonly JsonObject[] | undefined;
  readonly values?: JsonObject | undefined;
  /** The values create a row instead of changing one. */
  readonly makesRow: boolean;
}

/**
 * Returns the errors because of which it could never be executed on the table, with paths below `path`. The table's
 * fields are already known.
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
    .map(
      ({ name }): InvalidField => ({ path: `${path}.${name}`, message: 'is required: rows of the table have a value' }),
    );
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
