import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json.js';
import { type JsonPath, pathText } from '../../../kernel/json-path.js';
import type { InvalidField } from '../../../kernel/refusal.js';
import { schemaProblems } from './tool-schema.js';

const returns = ['record', 'record[]', 'id', 'ack'];
const kinds = ['read', 'write', 'destructive'];
const mostProblems = 20;

export interface SpecProblem {
  readonly path: JsonPath;
  readonly message: string;
}

/**
 * What is wrong with a toolSpec, at most twenty problems; empty when it may be saved (Automations API, toolSpec; its
 * values are those of the Sites API). The paths are those of createFunction and updateFunction.
 */
export function checkToolSpec(toolSpec: JsonObject): readonly InvalidField[] {
  const { inputSchema = null, outputSchema, returns: result, sideEffects, kind } = toolSpec;
  const problems = [
    ...schemaAt('inputSchema', inputSchema),
    ...(outputSchema === undefined ? [] : schemaAt('outputSchema', outputSchema)),
    ...(result === undefined ? [] : oneOf('returns', result, returns)),
    ...(sideEffects === undefined || typeof sideEffects === 'boolean'
      ? []
      : [{ path: ['sideEffects'], message: 'must be a boolean' }]),
    ...(kind === undefined ? [] : oneOf('kind', kind, kinds)),
  ];
  return problems
    .slice(0, mostProblems)
    .map(({ path, message }) => ({ path: pathText(['toolSpec', ...path]), message }));
}

function schemaAt(name: string, schema: Json): readonly SpecProblem[] {
  if (!isJsonObject(schema)) return [{ path: [name], message: 'must be a JSON Schema, written as an object' }];
  return schemaProblems(schema).map(({ path, message }) => ({ path: [name, ...path], message }));
}

const oneOf = (name: string, value: Json, allowed: readonly string[]): readonly SpecProblem[] =>
  allowed.some((one) => one === value) ? [] : [{ path: [name], message: `must be one of: ${allowed.join(', ')}` }];
