import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/json/json.js';
import {
  anchorsOf,
  type PlacedSchema,
  type ResolveReference,
  referencesOf,
  schemasIn,
} from '../../../../kernel/json/json-schema.js';
import { loopProblems, type SchemaProblem } from './tool-schema-loops.js';

export const dialect = 'https://json-schema.org/draft/2020-12/schema';

/**
 * Checks what the meta-schema cannot: dialects, ids, references, anchors and patterns. If these are valid, also finds
 * schemas whose validation would never end.
 */
export function meaningProblems(root: JsonObject): readonly SchemaProblem[] {
  const schemas = [...schemasIn(root)];
  const resolve = referencesOf(root);
  const problems = [...schemas.flatMap((one) => ownProblems(one, resolve)), ...anchorProblems(schemas)];
  return problems.length > 0 ? problems : loopProblems(schemas, resolve);
}

function ownProblems({ path, schema }: PlacedSchema, resolve: ResolveReference): readonly SchemaProblem[] {
  if (!isJsonObject(schema)) return [];
  const { $schema, $id, pattern, patternProperties } = schema;
  const named = isJsonObject(patternProperties) ? Object.keys(patternProperties) : [];
  return [
    ...($schema === undefined || $schema === dialect || $schema === `${dialect}#`
      ? []
      : [{ path: [...path, '$schema'], message: `must be ${dialect} or left out` }]),
    ...($id === undefined || path.length === 0
      ? []
      : [{ path: [...path, '$id'], message: 'is only allowed in the outermost schema' }]),
    ...['$ref', '$dynamicRef'].flatMap((keyword) =>
      referenceProblem(schema[keyword], resolve).map((message) => ({ path: [...path, keyword], message })),
    ),
    ...(typeof pattern === 'string' && !isPattern(pattern) ? [{ path: [...path, 'pattern'], message: noPattern }] : []),
    ...named
      .filter((name) => !isPattern(name))
      .map((name) => ({ path: [...path, 'patternProperties', name], message: noPattern })),
  ];
}

function referenceProblem(reference: Json | undefined, resolve: ResolveReference): readonly string[] {
  if (typeof reference !== 'string') return [];
  if (!reference.startsWith('#')) return ['must point into this schema (#…): no other document is read'];
  return resolve(reference) === undefined ? ['points to no schema in this schema'] : [];
}

const noPattern = 'is not a regular expression of ECMAScript with the flag u';

/** Cheap, because the engine compiles a pattern only at its first match, and this pattern is never matched. */
function isPattern(text: string): boolean {
  try {
    new RegExp(text, 'u');
    return true;
  } catch {
    return false;
  }
}

function anchorProblems(schemas: readonly PlacedSchema[]): readonly SchemaProblem[] {
  const known = new Set<string>();
  return schemas.flatMap(({ path, schema }) => {
    const names = new Set(anchorsOf(schema));
    const taken = [...names].some((name) => known.has(name));
    for (const name of names) known.add(name);
    return taken ? [{ path, message: 'has an anchor that another schema in it also has' }] : [];
  });
}
