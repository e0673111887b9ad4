import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../../../kernel/json/json.js';
import { isTooDeep } from '../../../../kernel/json/json-depth.js';
import type { JsonPath } from '../../../../kernel/json/json-path.js';
import type { SchemaProblem } from './tool-schema-loops.js';
import { dialect, meaningProblems } from './tool-schema-meaning.js';

/** Limits of a schema: its size in bytes of UTF-8 JSON, and its levels of nesting. */
const largest = 64 * 1024;
const deepest = 64;

/** The order matters: each check relies on the one before it. */
export function schemaProblems(schema: JsonObject): readonly SchemaProblem[] {
  if (isTooDeep(schema, deepest)) return [{ path: [], message: `must not nest deeper than ${deepest} levels` }];
  if (Buffer.byteLength(JSON.stringify(schema)) > largest) {
    return [{ path: [], message: `must not be larger than ${largest} bytes` }];
  }
  const malformed = againstMetaSchema(schema);
  return malformed.length > 0 ? malformed : meaningProblems(schema);
}

let metaSchema: ValidateFunction | undefined;

/**
 * Returns only the first error, because collecting all errors could take seconds. Compiling a schema generates code, so
 * only the meta-schema is compiled and a customer's schema never is.
 */
function againstMetaSchema(schema: JsonObject): readonly SchemaProblem[] {
  const options = { strict: false, validateFormats: false, logger: false } as const;
  metaSchema ??= new Ajv2020(options).getSchema(dialect);
  if (metaSchema === undefined) throw new Error('The meta-schema of JSON Schema 2020-12 is missing.');
  if (metaSchema(schema)) return [];
  // If the meta-schema allows either a list or a single item, an error in an item of a list is reported for both
  // alternatives. The deepest error is more specific.
  const [error] = [...(metaSchema.errors ?? [])].sort((one, other) => depthOf(other) - depthOf(one));
  return error === undefined ? [] : [{ path: pathOf(error.instancePath, schema), message: sentenceOf(error) }];
}

const depthOf = ({ instancePath }: ErrorObject): number => instancePath.split('/').length;

function sentenceOf({ keyword, params }: ErrorObject): string {
  switch (keyword) {
    case 'type':
      return isJsonArray(params['type'])
        ? 'must be a schema: an object, true or false'
        : `must be of type ${params['type']}`;
    case 'enum':
      return `must be one of: ${params['allowedValues'].join(', ')}`;
    case 'minimum':
      return `must be at least ${params['limit']}`;
    case 'exclusiveMinimum':
      return `must be greater than ${params['limit']}`;
    case 'minItems':
      return 'must not be empty';
    case 'uniqueItems':
      return 'must not contain duplicates';
    case 'pattern':
      return `must match ${params['pattern']}`;
    default:
      return 'is not allowed here by JSON Schema 2020-12';
  }
}

function pathOf(pointer: string, root: Json): JsonPath {
  const tokens = pointer.split('/').slice(1);
  let value: Json | undefined = root;
  return tokens.map((token) => {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    const key = isJsonArray(value) ? Number(name) : name;
    value = isJsonArray(value) ? value[Number(name)] : isJsonObject(value) ? value[name] : undefined;
    return key;
  });
}
