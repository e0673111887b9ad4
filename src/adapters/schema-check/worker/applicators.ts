import { isJsonArray, type Json } from '../../../kernel/json/json.js';
import { isSchema, type Schema } from '../../../kernel/json/json-schema.js';
import type { Keyword, SchemaVisit } from './schema-visit.js';

const refersTo: Keyword = (operand, look) => look.also(look.judging.resolve(operand));

const allOf: Keyword = (operand, look) => schemasOf(operand).filter((schema) => !look.also(schema)).length === 0;

const anyOf: Keyword = (operand, look) =>
  fitting(look, operand, 1) > 0 || look.wrong('must fit one of the schemas in anyOf, but fits none');

const oneOf: Keyword = (operand, look) => {
  const fits = fitting(look, operand, 2);
  return (
    fits === 1 || look.wrong(`must fit exactly one of the schemas in oneOf, but fits ${fits > 1 ? 'several' : 'none'}`)
  );
};

function fitting(look: SchemaVisit, operand: Json, enough: number): number {
  let fits = 0;
  for (const schema of schemasOf(operand)) {
    if (fits >= enough && look.seen === undefined) break;
    if (look.quietlyAlso(schema)) fits += 1;
  }
  return fits;
}

const not: Keyword = (operand, look) =>
  !isSchema(operand) || !look.quietlyAlso(operand) || look.wrong('must not fit the schema in not');

const condition: Keyword = (operand, look) => {
  if (!isSchema(operand)) return true;
  const next = look.quietlyAlso(operand) ? look.schema['then'] : look.schema['else'];
  return !isSchema(next) || look.also(next);
};

const schemasOf = (operand: Json): readonly Schema[] => (isJsonArray(operand) ? operand.filter(isSchema) : []);

export const applicators: Readonly<Record<string, Keyword>> = {
  $ref: refersTo,
  $dynamicRef: refersTo,
  allOf,
  anyOf,
  oneOf,
  not,
  if: condition,
};
