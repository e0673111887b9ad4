import { isJsonArray, isJsonObject, type Json, type JsonObject } from './json.js';
import type { JsonPath } from './json-path.js';

export type Schema = boolean | JsonObject;

/** Keywords of JSON Schema 2020-12 that contain schemas. The content of all other keywords is data. */
const schemaKeywords = new Set([
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'items',
  'unevaluatedItems',
  'contains',
  'not',
  'if',
  'then',
  'else',
  'contentSchema',
]);
const listKeywords = new Set(['prefixItems', 'allOf', 'anyOf', 'oneOf']);
const mapKeywords = new Set(['$defs', 'definitions', 'properties', 'patternProperties', 'dependentSchemas']);

export interface PlacedSchema {
  readonly path: JsonPath;
  readonly schema: Schema;
}

export function* schemasIn(schema: Schema, path: JsonPath = []): Generator<PlacedSchema> {
  yield { path, schema };
  if (typeof schema === 'boolean') return;
  for (const [keyword, content] of Object.entries(schema)) {
    for (const [keys, inner] of schemasOf(keyword, content)) yield* schemasIn(inner, [...path, keyword, ...keys]);
  }
}

function* schemasOf(keyword: string, content: Json | undefined): Generator<readonly [JsonPath, Schema]> {
  if (schemaKeywords.has(keyword) && isSchema(content)) yield [[], content];
  if (listKeywords.has(keyword) && isJsonArray(content)) {
    for (const [index, inner] of content.entries()) if (isSchema(inner)) yield [[index], inner];
  }
  if (mapKeywords.has(keyword) && isJsonObject(content)) {
    for (const [name, inner] of Object.entries(content)) if (isSchema(inner)) yield [[name], inner];
  }
}

export const isSchema = (value: Json | undefined): value is Schema => typeof value === 'boolean' || isJsonObject(value);

export type ResolveReference = (reference: string) => Schema | undefined;

/**
 * Local references are `#`, `#/$defs/a` or `#name`. References to another document, or to something that is not a
 * schema, resolve to undefined.
 */
export function referencesOf(root: Schema): ResolveReference {
  const byPointer = new Map<string, Schema>();
  for (const { path, schema } of schemasIn(root)) {
    byPointer.set(pointerOf(path), schema);
    for (const name of anchorsOf(schema)) if (!byPointer.has(name)) byPointer.set(name, schema);
  }
  return (reference) => (reference.startsWith('#') ? byPointer.get(decoded(reference.slice(1))) : undefined);
}

/** A single document has a single scope, so a dynamic anchor is like any other anchor. */
export function anchorsOf(schema: Schema): readonly string[] {
  if (typeof schema === 'boolean') return [];
  return [schema['$anchor'], schema['$dynamicAnchor']].filter((name) => typeof name === 'string');
}

const pointerOf = (path: JsonPath): string =>
  path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
