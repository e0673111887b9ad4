import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/json/json.js';
import { type JsonPath, pathText } from '../../../../kernel/json/json-path.js';
import { type InvalidField } from '../../../../kernel/refusals/refusal.js';
import { schemaProblems } from './tool-schema.js';

const mostProblems = 20;

export interface SpecProblem {
  readonly path: JsonPath;
  readonly message: string;
}

/**
 * Returns at most twenty problems (Automations API, toolSpec). Paths are those of the inputs of createFunction and
 * updateFunction.
 */
export function checkToolSpec(toolSpec: JsonObject): readonly InvalidField[] {
  const { inputSchema = null, outputSchema } = toolSpec;
  const problems = [
    ...schemaAt('inputSchema', inputSchema),
    ...(outputSchema === undefined ? [] : schemaAt('outputSchema', outputSchema)),
  ];
  return problems
    .slice(0, mostProblems)
    .map(({ path, message }) => ({ path: pathText(['toolSpec', ...path]), message }));
}

function schemaAt(name: string, schema: Json): readonly SpecProblem[] {
  if (!isJsonObject(schema)) return [{ path: [name], message: 'must be a JSON Schema, written as an object' }];
  return schemaProblems(schema).map(({ path, message }) => ({ path: [name, ...path], message }));
}
