import { canonicalJson } from '../json/canonical-json.js';
import type { Json } from '../json/json.js';
import { inLowerCase } from '../text/ascii-case.js';
import { compareTexts } from '../text/code-points.js';
import { folded } from '../text/folded.js';

/** Read stores translate filters to their own queries, which must select exactly what `matchesFilter` selects. */
export type Filter =
  | { readonly all: readonly Filter[] }
  | { readonly any: readonly Filter[] }
  | { readonly not: Filter }
  | RowComparison;

/**
 * A stored value is compared according to `kind` and never converted: a value of another kind equals nothing. A list is
 * a set of texts. A missing value (absent or null) fails all operators except ne, nin and isEmpty. isEmpty also matches
 * an empty text and an empty list.
 */
export interface RowComparison {
  readonly field: string;
  readonly kind: Kind;
  readonly operator: ComparisonOperator;
  /** Omitted for isEmpty and isNotEmpty. */
  readonly value?: Json;
}

export type Kind = 'text' | 'number' | 'boolean' | 'list' | 'json';
export type ComparisonOperator =
  | 'eq'
  /** For texts: ignores the case of ASCII letters, as comparisons of email addresses do. */
  | 'eqIgnoringCase'
  | 'ne'
  | 'gt'
  | 'gte'
  | 'lt'
  | 'lte'
  | 'in'
  | 'nin'
  | 'contains'
  | 'startsWith'
  | 'isEmpty'
  | 'isNotEmpty';

/**
 * Matches documents with this substring in one of these text fields, ignoring case. An empty text matches every
 * document with a text in one of the fields.
 */
export interface Search {
  readonly fields: readonly string[];
  readonly text: string;
}

/**
 * Maximum length, in UTF-16 code units, of a value that becomes part of a pattern in MongoDB, such as that for
 * `contains`. MongoDB limits the length of patterns. Code that reads filters from requests must refuse longer texts.
 */
export const longestPart = 4_000;

type Operand = 'one' | 'several' | 'part' | 'nothing';

const ordered = { eq: 'one', ne: 'one', gt: 'one', gte: 'one', lt: 'one', lte: 'one' } as const;
const chosen = { in: 'several', nin: 'several' } as const;
const emptiness = { isEmpty: 'nothing', isNotEmpty: 'nothing' } as const;

const operands: Readonly<Record<Kind, Readonly<Partial<Record<ComparisonOperator, Operand>>>>> = {
  text: { ...ordered, eqIgnoringCase: 'part', ...chosen, ...emptiness, contains: 'part', startsWith: 'part' },
  number: { ...ordered, ...chosen, ...emptiness },
  boolean: { eq: 'one', ne: 'one', ...chosen, ...emptiness },
  list: { eq: 'one', ne: 'one', ...chosen, ...emptiness, contains: 'part' },
  json: { eq: 'one', ne: 'one', ...emptiness },
};

export const operatorsOf = (kind: Kind): readonly ComparisonOperator[] =>
  Object.keys(operands[kind]) as readonly ComparisonOperator[];

/**
 * @throws Error if the kind does not have the operator, or if the value does not fit the kind and operator; this is a
 * bug of the code that made the comparison
 */
export function checkComparison({ field, kind, operator, value }: RowComparison): void {
  const takes = Object.hasOwn(operands, kind) ? operands[kind][operator] : undefined;
  if (takes === undefined || !fits(kind, takes, value)) {
    throw new Error(`Invalid comparison of ${field}: ${kind} ${operator} ${JSON.stringify(value)?.slice(0, 200)}.`);
  }
}

function fits(kind: Kind, takes: Operand, value: Json | undefined): boolean {
  switch (takes) {
    case 'nothing':
      return value === undefined;
    case 'several':
      return Array.isArray(value) && value.every((one) => isOf(kind === 'list' ? 'text' : kind, one));
    case 'part':
      return typeof value === 'string' && value.length <= longestPart;
    case 'one':
      return kind === 'list' ? typeof value === 'string' || fits(kind, 'several', value) : isOf(kind, value);
  }
}

export function isOf(kind: Kind, value: Json | undefined): boolean {
  switch (kind) {
    case 'text':
      return typeof value === 'string';
    case 'number':
      return Number.isFinite(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'list':
      return Array.isArray(value);
    case 'json':
      return value !== undefined && value !== null;
  }
}

/**
 * Read stores must find exactly the documents that match here, which tests check.
 * @throws Error as `checkComparison` does
 */
export function matchesFilter(document: object, filter: Filter): boolean {
  return matches(document, filter, checkComparison);
}

/**
 * For a filter that many documents are compared with: its values are checked only once, and not for every document.
 * @throws Error as `checkComparison` does
 */
export function matcherOf(filter: Filter): (document: object) => boolean {
  for (const comparison of comparisonsIn(filter)) checkComparison(comparison);
  return (document) => matches(document, filter, unchecked);
}

const unchecked = () => undefined;

export function comparisonsIn(filter: Filter): readonly RowComparison[] {
  if ('all' in filter) return filter.all.flatMap(comparisonsIn);
  if ('any' in filter) return filter.any.flatMap(comparisonsIn);
  return 'not' in filter ? comparisonsIn(filter.not) : [filter];
}

function matches(document: object, filter: Filter, check: (comparison: RowComparison) => void): boolean {
  if ('all' in filter) return filter.all.every((part) => matches(document, part, check));
  if ('any' in filter) return filter.any.some((part) => matches(document, part, check));
  if ('not' in filter) return !matches(document, filter.not, check);
  check(filter);
  return holds(filter, ownFieldOf(document, filter.field));
}

export function matchesSearch(document: object, { fields, text }: Search): boolean {
  const operand = folded(text);
  return fields.some((field) => {
    const value = ownFieldOf(document, field);
    return typeof value === 'string' && folded(value).includes(operand);
  });
}

/** Returns undefined if the field is absent or null. Considers only own members of objects, not items of lists. */
export function ownFieldOf(document: object, path: string): Json | undefined {
  let value: unknown = document;
  for (const name of path.split('.')) {
    const hasIt = typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, name);
    if (!hasIt) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return (value ?? undefined) as Json | undefined;
}

function holds({ kind, operator, value: operand = null }: RowComparison, value: Json | undefined): boolean {
  switch (operator) {
    case 'eq':
      return equals(kind, value, operand);
    case 'eqIgnoringCase':
      return isOf(kind, value) && inLowerCase(String(value)) === inLowerCase(String(operand));
    case 'ne':
      return !equals(kind, value, operand);
    case 'in':
      return isChosen(kind, value, operand);
    case 'nin':
      return !isChosen(kind, value, operand);
    case 'gt':
      return isOf(kind, value) && distance(value, operand) > 0;
    case 'gte':
      return isOf(kind, value) && distance(value, operand) >= 0;
    case 'lt':
      return isOf(kind, value) && distance(value, operand) < 0;
    case 'lte':
      return isOf(kind, value) && distance(value, operand) <= 0;
    case 'contains':
      return isOf(kind, value) && (value as string | readonly Json[]).includes(operand as string);
    case 'startsWith':
      return typeof value === 'string' && value.startsWith(String(operand));
    case 'isEmpty':
      return isEmpty(value);
    case 'isNotEmpty':
      return !isEmpty(value);
  }
}

function equals(kind: Kind, value: Json | undefined, operand: Json): boolean {
  if (value === undefined || !isOf(kind, value)) return false;
  if (kind === 'json') return canonicalJson(value) === canonicalJson(operand);
  if (!Array.isArray(value)) return value === operand;
  return Array.isArray(operand) ? sameMembers(value, operand) : value.includes(operand);
}

const sameMembers = (one: readonly Json[], other: readonly Json[]) =>
  one.every((member) => other.includes(member)) && other.every((member) => one.includes(member));

function isChosen(kind: Kind, value: Json | undefined, choices: Json): boolean {
  if (value === undefined || !isOf(kind, value) || !Array.isArray(choices)) return false;
  return Array.isArray(value) ? value.some((one) => choices.includes(one)) : choices.includes(value);
}

const distance = (value: Json | undefined, operand: Json) =>
  typeof value === 'string' ? compareTexts(value, String(operand)) : Number(value) - Number(operand);

const isEmpty = (value: Json | undefined) =>
  value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
