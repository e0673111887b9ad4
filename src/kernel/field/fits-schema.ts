import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { instantOf } from '../condition/instant.js';

/** Email addresses are validated where they are used. */
const formats = { 'date-time': (text: string) => instantOf(text) !== undefined, email: true } as const;
const ajv = new Ajv2020({ strict: false, validateSchema: false, logger: false, formats });
const judges = new WeakMap<object, ValidateFunction>();

/**
 * Whether the value matches a schema of the OpenAPI document. Lengths count code points and are checked before
 * patterns.
 */
export function fitsSchema(schema: Readonly<Record<string, unknown>>, value: unknown): boolean {
  const judge = judges.get(schema) ?? ajv.compile(schema);
  judges.set(schema, judge);
  return judge(value);
}
