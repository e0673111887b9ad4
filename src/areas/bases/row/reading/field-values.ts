import { refuseInput } from '../../../../kernel/field/refuse-input.js';
import type { Json, JsonObject } from '../../../../kernel/json/json.js';
import { type InvalidField } from '../../../../kernel/refusals/refusal.js';
import { refuse } from '../../bases.refusals.js';
import type { Table, TableField } from '../../table/table.record.js';
import { checkedValue } from './checked-value.js';

/** Keyed by field id. `null` removes the field's value. */
export type CheckedValues = Readonly<Record<string, Json>>;

type FieldsOf = Pick<Table, 'fields'>;

/** Maximum size of a row's values, in bytes of JSON. */
export const largestRow = 256 * 1024;
const mostErrors = 20;

/**
 * Does not check whether required fields have a value, nor the size of the row.
 * @param path path of the values in the input
 * @throws Refusal unknown-field, invalid-input
 */
export function changedValues(table: FieldsOf, sent: JsonObject, path = 'values'): CheckedValues {
  const named = new Map(table.fields.map((field) => [field.name, field]));
  const unknown = Object.keys(sent).filter((name) => !named.has(name));
  if (unknown.length > 0) refuseUnknown(unknown, table.fields, (name) => `${path}.${name}`);
  const wrong: InvalidField[] = [];
  const values = Object.entries(sent).flatMap(([name, value]): [string, Json][] => {
    const field = named.get(name);
    if (field === undefined || value === undefined) return [];
    if (value === null) return [[field.id, null]];
    const checked = checkedValue(field, value);
    if (!('wrong' in checked)) return [[field.id, checked.value]];
    if (wrong.length < mostErrors) wrong.push({ path: `${path}.${name}`, message: checked.wrong });
    return [];
  });
  if (wrong.length > 0) refuseInput(wrong);
  return Object.fromEntries(values);
}

/** @throws Refusal as `changedValues` */
export const newValues = changedValues;

/** @throws Refusal row-too-large */
export function mustFit(values: object): void {
  if (Buffer.byteLength(JSON.stringify(values)) > largestRow) refuse('row-too-large', { kilobytes: largestRow / 1024 });
}

/**
 * @param pathOf returns the path of a name in the input
 * @throws Refusal unknown-field, with the names of the existing fields
 */
export function refuseUnknown(
  unknown: readonly string[],
  fields: readonly Pick<TableField, 'name'>[],
  pathOf: (name: string) => string,
): never {
  const names = unknown.slice(0, mostErrors).map((name) => name.slice(0, 100));
  const listed = names.slice(0, 10).map((name) => `'${name}'`);
  const facts = { at: names.map(pathOf), fields: fields.map(({ name }) => name) };
  return refuse('unknown-field', { names: listed.join(', ') }, facts);
}
