import type { RegisteredOperation } from '../../engine/operation/operation.js';
import { type FieldSpec, fieldsOf, type Shape } from '../../kernel/field/field.js';
import { wrongValue } from '../../kernel/field/judge-field.js';
import type { Json, JsonObject } from '../../kernel/json/json.js';
import { idPrefixes, ofNames, ofOperations } from './example-values.js';

export function exampleOf({ name, input }: Pick<RegisteredOperation, 'name' | 'input'>): JsonObject {
  const fields = fieldsOf(input);
  const made = membersOf(input, name);
  const known = { ...made, ...ofOperations[name] };
  if (!/\/update[A-Z]/.test(name) || !Object.keys(known).every(isNaming)) return known;
  const [change] = [...fields].filter(([key, { optional }]) => optional && !isNaming(key) && !isBeside(key));
  return change === undefined ? known : { ...known, [change[0]]: valueFor(change[1], change[0], name) };
}

const isNaming = (key: string): boolean => /^(?:id|key|code)$|Id$/.test(key);
const isBeside = (key: string): boolean => key === 'reason' || key.startsWith('seen');

function membersOf(shape: Shape, operation: string): JsonObject {
  const required = [...fieldsOf(shape)].filter(([, { optional }]) => !optional);
  return Object.fromEntries(required.map(([key, spec]) => [key, valueFor(spec, key, operation)]));
}

function valueFor(spec: FieldSpec, key: string, operation: string): Json {
  const named = ofNames[key];
  return named !== undefined && wrongValue(spec, named) === undefined ? named : ofType(spec, key, operation);
}

function ofType(spec: FieldSpec, key: string, operation: string): Json {
  switch (spec.type) {
    case 'string':
      return spec.enum?.[0] ?? (spec.format === undefined ? textOf(key, operation) : '2030-01-31T12:00:00Z');
    case 'integer':
    case 'number':
      return spec.minimum ?? 1;
    case 'boolean':
      return true;
    case 'object':
      return spec.shape === undefined ? {} : membersOf(spec.shape(), operation);
    case 'array':
      if (typeof spec.items === 'function') return [membersOf(spec.items(), operation)];
      return spec.items === 'object' ? [{}] : [spec.enum?.[0] ?? key];
    case 'any':
      return key;
  }
}

/**
 * Returns an example id for `id` and for keys that end in `Id`, with the prefix of the kind of record. Returns any
 * other key unchanged.
 */
function textOf(key: string, operation: string): string {
  const noun = key === 'id' ? operation : key.endsWith('Id') ? key.slice(0, -2) : undefined;
  if (noun === undefined) return key;
  const [, prefix = noun === operation ? 'id' : noun] =
    Object.entries(idPrefixes).find(([end]) => noun.toLowerCase().endsWith(end)) ?? [];
  return `${prefix}_1`;
}
