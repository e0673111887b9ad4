import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { isJsonArray, isJsonObject, type Json, type JsonObject, withMember } from '../../../kernel/json/json.js';
import { type InvalidField } from '../../../kernel/refusals/refusal.js';
import { refuse } from '../functions.refusals.js';

export const dataKinds = ['get', 'list', 'count', 'create', 'update', 'delete'] as const;
export type DataKind = (typeof dataKinds)[number];

/** The ids decide what the definition refers to. Names are only for display. */
export interface BoundNames {
  readonly table: string;
  /** Field ids, keyed by the names in the definition. */
  readonly fields: Readonly<Record<string, string>>;
}

/** Placeholders, written `{ $param: name }`, are replaced with the caller's params. */
export interface DataDefinition {
  readonly kind: DataKind;
  readonly table: string;
  readonly filter?: JsonObject;
  readonly sort?: readonly JsonObject[];
  readonly limit?: Json;
  /** If omitted, the answer has all fields. */
  readonly fields?: readonly string[];
  readonly values?: JsonObject;
  /** A JSON Schema for each placeholder. Those without a `default` are required. */
  readonly params?: JsonObject;
  /** Missing in definitions that earlier versions of the service saved. */
  readonly ids?: BoundNames;
}

const partsOf: Readonly<Record<DataKind, readonly string[]>> = {
  get: ['filter', 'sort', 'fields'],
  list: ['filter', 'sort', 'limit', 'fields'],
  count: ['filter'],
  create: ['values', 'fields'],
  update: ['filter', 'values', 'limit'],
  delete: ['filter', 'limit'],
};

/** Maximum size of a definition, in bytes of UTF-8 JSON. */
export const largestDefinition = 64 * 1024;
export const mostRowsOfDefinition = 1_000;
const mostParams = 100;
const placeholder = '$param';

/** @throws Refusal invalid-input */
export function checkDefinition(sent: JsonObject): DataDefinition {
  const wrong: InvalidField[] = [];
  const no = (path: string, message: string) => wrong.push({ path: `definition${path}`, message });
  const { kind, table, filter, sort, limit, fields, values, params = {} } = sent;
  const known = dataKinds.find((one) => one === kind);
  if (known === undefined)
    refuseInput([{ path: 'definition.kind', message: `must be one of: ${dataKinds.join(', ')}` }]);
  const allowed = ['kind', 'table', 'params', ...partsOf[known]];
  for (const key of Object.keys(sent))
    if (!allowed.includes(key)) no(`.${key}`, `is not allowed in a definition of kind ${known}`);
  if (typeof table !== 'string' || table === '') no('.table', 'is required: the name or id of a table');
  if (filter !== undefined && !isJsonObject(filter)) no('.filter', 'must be an object');
  if (sort !== undefined && !(isJsonArray(sort) && sort.every(isJsonObject)))
    no('.sort', 'must be an array of objects');
  if (limit !== undefined && !isPlaceholder(limit) && !isLimit(limit))
    no('.limit', `must be 1 to ${mostRowsOfDefinition}`);
  if (fields !== undefined && !(isJsonArray(fields) && fields.every((one) => typeof one === 'string'))) {
    no('.fields', 'must be an array of field names');
  }
  if (partsOf[known].includes('values') && !isJsonObject(values))
    no('.values', 'is required: an object of values by field');
  if (!isJsonObject(params) || Object.keys(params).length > mostParams) {
    no('.params', `must be an object of at most ${mostParams} JSON Schemas`);
  } else {
    for (const [name, schema] of Object.entries(params))
      if (!isJsonObject(schema)) no(`.params.${name}`, 'must be a JSON Schema');
    for (const { name, path } of placeholdersIn({ filter, sort, limit, values } as JsonObject, '')) {
      if (!Object.hasOwn(params, name))
        no(path, `uses the placeholder ${name.slice(0, 100)}, which params does not declare`);
    }
  }
  if (wrong.length > 0) refuseInput(wrong.slice(0, 20));
  return sent as unknown as DataDefinition;
}

export function paramsSchemaOf({ params = {} }: DataDefinition): JsonObject {
  const required = Object.entries(params).flatMap(([name, schema]) => (hasDefault(schema) ? [] : [name]));
  return { type: 'object', properties: params, required, additionalProperties: false };
}

/** @throws Refusal data-limit if the filled-in limit is not allowed */
export function filled(definition: DataDefinition, sent: JsonObject): DataDefinition {
  const { params = {}, ...parts } = definition;
  const given = (name: string): Json => {
    if (Object.hasOwn(sent, name)) return sent[name] ?? null;
    const schema = params[name];
    return isJsonObject(schema) ? (schema['default'] ?? null) : null;
  };
  const fill = (value: Json): Json => {
    if (isPlaceholder(value)) return given(value[placeholder]);
    if (isJsonArray(value)) return value.map(fill);
    if (!isJsonObject(value)) return value;
    return Object.entries(value).reduce<JsonObject>((done, [key, one]) => withMember(done, key, fill(one ?? null)), {});
  };
  const { filter, ...others } = parts;
  const done = {
    ...(fill(others as unknown as JsonObject) as unknown as DataDefinition),
    ...(filter === undefined ? {} : { filter: filledFilter(filter, fill) }),
  };
  if (done.limit !== undefined && !isLimit(done.limit)) refuse('data-limit', { most: mostRowsOfDefinition });
  return done;
}

/**
 * Fills in the placeholders of a filter. An object that a caller sends for a placeholder is compared as a value, and
 * never interpreted as an operator.
 */
function filledFilter(filter: JsonObject, fill: (value: Json) => Json): JsonObject {
  return Object.entries(filter).reduce<JsonObject>((done, [key, part = null]) => {
    if (key === 'not' && isJsonObject(part)) return withMember(done, key, filledFilter(part, fill));
    if ((key === 'any' || key === 'all') && isJsonArray(part)) {
      const parts = part.map((one) => (isJsonObject(one) ? filledFilter(one, fill) : one));
      return withMember(done, key, parts);
    }
    return withMember(done, key, isPlaceholder(part) ? { eq: fill(part) } : fill(part));
  }, {});
}

type Placeholder = { readonly [placeholder]: string };

export function isPlaceholder(value: Json | undefined): value is JsonObject & Placeholder {
  return isJsonObject(value) && Object.keys(value).join() === placeholder && typeof value[placeholder] === 'string';
}

function placeholdersIn(
  value: Json | undefined,
  path: string,
): readonly { readonly name: string; readonly path: string }[] {
  if (isPlaceholder(value)) return [{ name: value[placeholder], path }];
  if (value !== undefined && isJsonArray(value))
    return value.flatMap((one, at) => placeholdersIn(one, `${path}[${at}]`));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, one]) => placeholdersIn(one, `${path}.${key}`));
}

const hasDefault = (schema: Json | undefined) => isJsonObject(schema) && schema['default'] !== undefined;

const isLimit = (value: Json) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 && value <= mostRowsOfDefinition;
