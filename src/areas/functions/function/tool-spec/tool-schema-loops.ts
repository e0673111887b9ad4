import { isJsonArray, isJsonObject, type JsonObject } from '../../../../kernel/json/json.js';
import type { JsonPath } from '../../../../kernel/json/json-path.js';
import {
  isSchema,
  type PlacedSchema,
  type ResolveReference,
  type Schema,
} from '../../../../kernel/json/json-schema.js';

export interface SchemaProblem {
  readonly path: JsonPath;
  readonly message: string;
}

/** If a schema refers back to itself for the same value, the validation of that value would never end. */
export function loopProblems(schemas: readonly PlacedSchema[], resolve: ResolveReference): readonly SchemaProblem[] {
  const [under, done] = [new Set<Schema>(), new Set<Schema>()];
  const metAgain = (schema: Schema): Schema | undefined => {
    if (under.has(schema)) return schema;
    if (done.has(schema) || typeof schema === 'boolean') return undefined;
    under.add(schema);
    const again = first(onSameValue(schema, resolve), metAgain);
    under.delete(schema);
    done.add(schema);
    return again;
  };
  const endless = first(schemas, ({ schema }) => metAgain(schema));
  return schemas.filter(({ schema }) => schema === endless).map(({ path }) => ({ path, message }));
}

const message = 'refers back to itself without descending into the value, so its validation would never end';

function first<Item, Found>(items: readonly Item[], find: (item: Item) => Found | undefined): Found | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function onSameValue(schema: JsonObject, resolve: ResolveReference): readonly Schema[] {
  const { $ref, $dynamicRef, allOf, anyOf, oneOf, not, dependentSchemas } = schema;
  const referred = [$ref, $dynamicRef].map((one) => (typeof one === 'string' ? resolve(one) : undefined));
  const listed = [allOf, anyOf, oneOf].flatMap((list) => (isJsonArray(list) ? list : []));
  const dependent = isJsonObject(dependentSchemas) ? Object.values(dependentSchemas) : [];
  const conditional = [not, schema['if'], schema['then'], schema['else']];
  return [...referred, ...listed, ...dependent, ...conditional].flatMap((one) => (isSchema(one) ? [one] : []));
}
