import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.js';
import { isSchema } from '../../../kernel/json/json-schema.js';
import type { Keyword, SchemaVisit } from './schema-visit.js';
import { atLeast, atMost, size } from './value-keywords.js';

const required: Keyword = (operand, look) => {
  if (!isJsonObject(look.value) || !isJsonArray(operand)) return true;
  return allIn(look, operand.map(String), (name) => has(look, name) || look.wrongAt(name, 'is missing'));
};

const dependentRequired: Keyword = (operand, look) => {
  if (!isJsonObject(look.value) || !isJsonObject(operand)) return true;
  return allIn(look, Object.keys(operand), (given) => {
    const needed = operand[given];
    if (!has(look, given) || !isJsonArray(needed)) return true;
    const message = `is missing, but ${JSON.stringify(given)} requires it`;
    return allIn(look, needed.map(String), (name) => has(look, name) || look.wrongAt(name, message));
  });
};

const dependentSchemas: Keyword = (operand, look) => {
  if (!isJsonObject(look.value) || !isJsonObject(operand)) return true;
  return allIn(look, Object.keys(operand), (given) => {
    const schema = operand[given];
    return !has(look, given) || !isSchema(schema) || look.also(schema);
  });
};

const properties: Keyword = (operand, look) => {
  if (!isJsonObject(look.value) || !isJsonObject(operand)) return true;
  const named = Object.keys(operand).filter((name) => has(look, name));
  return eachMember(look, look.value, named, (name) => operand[name]);
};

const patternProperties: Keyword = (operand, look) => {
  const { value } = look;
  if (!isJsonObject(value) || !isJsonObject(operand)) return true;
  return allIn(look, Object.keys(operand), (pattern) => {
    const named = Object.keys(value).filter((name) => look.judging.matches(pattern, name));
    return eachMember(look, value, named, () => operand[pattern]);
  });
};

const additionalProperties: Keyword = (operand, look) => {
  if (!isJsonObject(look.value)) return true;
  const { properties: named, patternProperties: patterned } = look.schema;
  const patterns = isJsonObject(patterned) ? Object.keys(patterned) : [];
  const rest = Object.keys(look.value).filter(
    (name) =>
      !(isJsonObject(named) && Object.hasOwn(named, name)) &&
      !patterns.some((pattern) => look.judging.matches(pattern, name)),
  );
  return eachMember(look, look.value, rest, () => operand);
};

export const unevaluatedProperties: Keyword = (operand, look) => {
  if (!isJsonObject(look.value)) return true;
  const rest = Object.keys(look.value).filter((name) => !look.seen?.hasMember(name));
  return eachMember(look, look.value, rest, () => operand);
};

const propertyNames: Keyword = (operand, look) => {
  if (!isJsonObject(look.value) || !isSchema(operand)) return true;
  return allIn(look, Object.keys(look.value), (name) => {
    return look.quietlyWithin(operand, name) || look.wrongAt(name, 'has a name that is not allowed');
  });
};

function eachMember(
  look: SchemaVisit,
  value: JsonObject,
  names: readonly string[],
  schemaOf: (name: string) => Json | undefined,
): boolean {
  return allIn(look, names, (name) => {
    const schema = schemaOf(name);
    look.seen?.member(name);
    return !isSchema(schema) || look.within(schema, name, value[name] ?? null);
  });
}

function allIn(look: SchemaVisit, names: readonly string[], holds: (name: string) => boolean): boolean {
  let all = true;
  for (const name of names) {
    look.judging.step();
    all = holds(name) && all;
    if (!all && !look.aloud) return false;
  }
  return all;
}

const has = ({ value }: SchemaVisit, name: string): boolean => isJsonObject(value) && Object.hasOwn(value, name);
const memberCount = (value: Json) => (isJsonObject(value) ? Object.keys(value).length : undefined);

export const objectKeywords: Readonly<Record<string, Keyword>> = {
  required,
  dependentRequired,
  dependentSchemas,
  properties,
  patternProperties,
  additionalProperties,
  propertyNames,
  minProperties: size(memberCount, atLeast, 'have at least', 'member'),
  maxProperties: size(memberCount, atMost, 'have at most', 'member'),
};
