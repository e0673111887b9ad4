import { type FieldSpec, fieldsOf, type Shape } from '../../kernel/field/field.js';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../kernel/json/json.js';
import type { AnswerSpec } from './operation.js';

const hidden = '(hidden: it is as secret as a password)';

export function withoutPasswords(answers: AnswerSpec, body: Json): Json {
  if ('record' in answers) return ofShape(answers.record, body);
  if ('list' in answers) return isJsonArray(body) ? body.map((one) => ofShape(answers.list, one)) : body;
  return ofFields(new Map(Object.entries(answers.fields)), body);
}

export const inputWithoutPasswords = (input: Shape, body: JsonObject): JsonObject => ofShape(input, body) as JsonObject;

const ofShape = (shape: Shape, value: Json): Json => ofFields(fieldsOf(shape), value);

function ofFields(fields: ReadonlyMap<string, FieldSpec>, value: Json): Json {
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [name, ofField(fields.get(name), member)] as const);
  return Object.fromEntries(members) as JsonObject;
}

function ofField(spec: FieldSpec | undefined, value: Json | undefined): Json | undefined {
  if (spec === undefined || value === undefined || value === null) return value;
  if (spec.password) return hidden;
  if (spec.type === 'object' && spec.shape) return ofShape(spec.shape(), value);
  const { items } = spec.type === 'array' ? spec : { items: undefined };
  return typeof items === 'function' && isJsonArray(value) ? value.map((one) => ofShape(items(), one)) : value;
}
