import { isJsonArray, type Json } from '../../../kernel/json/json.js';
import { isSchema } from '../../../kernel/json/json-schema.js';
import { canonical } from './sameness.js';
import type { Keyword, SchemaVisit } from './schema-visit.js';
import { atLeast, atMost, size } from './value-keywords.js';

const prefixItems: Keyword = (operand, look) => {
  if (!isJsonArray(look.value) || !isJsonArray(operand)) return true;
  look.seen?.itemsUpTo(operand.length);
  return allFit(look, look.value.slice(0, operand.length), (index) => operand[index]);
};

const items: Keyword = (operand, look) => {
  if (!isJsonArray(look.value)) return true;
  const { prefixItems: first } = look.schema;
  const from = isJsonArray(first) ? first.length : 0;
  look.seen?.itemsUpTo(look.value.length);
  return allFit(look, look.value, (index) => (index < from ? undefined : operand));
};

export const unevaluatedItems: Keyword = (operand, look) => {
  if (!isJsonArray(look.value)) return true;
  const fit = allFit(look, look.value, (index) => (look.seen?.hasItem(index) ? undefined : operand));
  look.seen?.itemsUpTo(look.value.length);
  return fit;
};

function allFit(look: SchemaVisit, items: readonly Json[], schemaOf: (index: number) => Json | undefined): boolean {
  let fit = true;
  for (const [index, item] of items.entries()) {
    const schema = schemaOf(index);
    if (isSchema(schema)) fit = look.within(schema, index, item) && fit;
    if (!fit && !look.aloud) return false;
  }
  return fit;
}

/** `minContains` and `maxContains` have no effect without `contains`. */
const contains: Keyword = (operand, look) => {
  if (!isJsonArray(look.value) || !isSchema(operand)) return true;
  let fitting = 0;
  for (const [index, item] of look.value.entries()) {
    if (!look.quietlyWithin(operand, item)) continue;
    fitting += 1;
    look.seen?.item(index);
  }
  const { minContains: least = 1, maxContains: most } = look.schema;
  if (typeof least === 'number' && fitting < least) {
    return look.wrong(`must have ${least} or more items that fit the schema in contains`);
  }
  if (typeof most !== 'number' || fitting <= most) return true;
  return look.wrong(`must have ${most} or fewer items that fit the schema in contains`);
};

const uniqueItems: Keyword = (operand, look) => {
  if (operand !== true || !isJsonArray(look.value)) return true;
  const texts = look.value.map((item) => canonical(item, () => look.judging.step()));
  return new Set(texts).size === texts.length || look.wrong('must not have the same item twice');
};

const itemCount = (value: Json) => (isJsonArray(value) ? value.length : undefined);

export const arrayKeywords: Readonly<Record<string, Keyword>> = {
  prefixItems,
  items,
  contains,
  uniqueItems,
  minItems: size(itemCount, atLeast, 'have at least', 'item'),
  maxItems: size(itemCount, atMost, 'have at most', 'item'),
};
