import { isJsonArray, isJsonObject, type Json, type JsonObject, withMember } from '../../../kernel/json/json.js';
import type { Table } from '../../bases/table/table.record.js';
import { refuse } from '../functions.refusals.js';
import type { DataDefinition } from './data-definition.api.js';

const ownFields = ['id', 'createdAt', 'updatedAt', 'createdBy'];

export interface BoundField {
  readonly name: string;
  readonly path: string;
}

/**
 * Omits system fields that are only compared or shown, because every table has these fields. A system field that the
 * definition writes is included, because writing it must be refused.
 */
export function fieldsNamedIn({ filter, sort = [], fields = [], values = {} }: DataDefinition): readonly BoundField[] {
  const read: readonly BoundField[] = [
    ...fieldsOfFilter(filter, 'filter'),
    ...sort.map(({ field }, index) => ({ name: String(field), path: `sort[${index}].field` })),
    ...fields.map((name, index) => ({ name, path: `fields[${index}]` })),
  ];
  const written = Object.keys(values).map((name) => ({ name, path: `values.${name}` }));
  return [...read.filter(({ name }) => !ownFields.includes(name)), ...written];
}

function fieldsOfFilter(filter: Json | undefined, path: string): readonly BoundField[] {
  if (!isJsonObject(filter)) return [];
  return Object.entries(filter).flatMap(([name, value]): readonly BoundField[] => {
    const at = `${path}.${name}`;
    if (name === 'not') return fieldsOfFilter(value, at);
    if ((name === 'any' || name === 'all') && value !== undefined && isJsonArray(value)) {
      return value.flatMap((one, index) => fieldsOfFilter(one, `${at}[${index}]`));
    }
    return [{ name, path: at }];
  });
}

export function boundDefinition(
  definition: DataDefinition,
  { id, fields }: Pick<Table, 'id' | 'fields'>,
): DataDefinition {
  const named = new Set(fieldsNamedIn(definition).map(({ name }) => name));
  const ids = fields.filter(({ name }) => named.has(name)).map((field) => [field.name, field.id] as const);
  return { ...definition, ids: { table: id, fields: Object.fromEntries(ids) } };
}

export function withoutIds(definition: JsonObject): JsonObject {
  const { ids: _, ...shown } = definition;
  return shown;
}

/**
 * A former name can belong to another field now, so fields are found by id.
 * @throws Refusal data-field-gone
 */
export function withNamesOfNow(definition: DataDefinition, { fields }: Pick<Table, 'fields'>): DataDefinition {
  const { ids, filter, sort, fields: shown, values, ...others } = definition;
  const names = new Map(fields.map(({ id, name }) => [id, name]));
  const nameOf = (name: string, isWritten = false): string => {
    if (!isWritten && ownFields.includes(name)) return name;
    const id = Object.hasOwn(ids?.fields ?? {}, name) ? ids?.fields[name] : undefined;
    return names.get(id ?? '') ?? refuse('data-field-gone', { name }, { fields: fields.map((one) => one.name) });
  };
  return {
    ...others,
    ...(filter === undefined ? {} : { filter: filterNamed(filter, nameOf) }),
    ...(sort === undefined ? {} : { sort: sort.map((one) => ({ ...one, field: nameOf(String(one['field'])) })) }),
    ...(shown === undefined ? {} : { fields: shown.map((name) => nameOf(name)) }),
    ...(values === undefined ? {} : { values: keysNamed(values, (name) => nameOf(name, true)) }),
  };
}

function filterNamed(filter: JsonObject, nameOf: (name: string) => string): JsonObject {
  const inner = (one: Json) => (isJsonObject(one) ? filterNamed(one, nameOf) : one);
  return Object.entries(filter).reduce<JsonObject>((done, [key, part = null]) => {
    if (key === 'not') return withMember(done, key, inner(part));
    if ((key === 'any' || key === 'all') && isJsonArray(part)) return withMember(done, key, part.map(inner));
    return withMember(done, nameOf(key), part);
  }, {});
}

const keysNamed = (values: JsonObject, nameOf: (name: string) => string): JsonObject =>
  Object.entries(values).reduce<JsonObject>((done, [key, value = null]) => withMember(done, nameOf(key), value), {});
