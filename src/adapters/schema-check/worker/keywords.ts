import type { Json, JsonObject } from '../../../kernel/json/json.js';
import { applicators } from './applicators.js';
import { arrayKeywords, unevaluatedItems } from './array-keywords.js';
import { objectKeywords, unevaluatedProperties } from './object-keywords.js';
import type { Keyword } from './schema-visit.js';
import { valueKeywords } from './value-keywords.js';

/**
 * All checked keywords except `lateKeywords`. Other keywords are annotations, such as `format`, or belong to one of
 * these keywords: the check of `if` also reads `then`.
 */
const keywords: ReadonlyMap<string, Keyword> = new Map(
  Object.entries({ ...valueKeywords, ...arrayKeywords, ...objectKeywords, ...applicators }),
);

const lateKeywords: ReadonlyMap<string, Keyword> = new Map(Object.entries({ unevaluatedProperties, unevaluatedItems }));

interface KeywordUse {
  readonly keyword: Keyword;
  readonly operand: Json;
}

export interface CheckedKeywords {
  readonly first: readonly KeywordUse[];
  readonly late: readonly KeywordUse[];
}

export function keywordsOf(schema: JsonObject): CheckedKeywords {
  return { first: wordsOf(schema, keywords), late: wordsOf(schema, lateKeywords) };
}

function wordsOf(schema: JsonObject, known: ReadonlyMap<string, Keyword>): readonly KeywordUse[] {
  return Object.entries(schema).flatMap(([name, operand]) => {
    const keyword = known.get(name);
    return keyword === undefined || operand === undefined ? [] : [{ keyword, operand }];
  });
}
