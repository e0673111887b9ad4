import { canonicalJson } from '../json/canonical-json.js';
import type { Json } from '../json/json.js';
import { inLowerCase } from '../text/ascii-case.js';
import { compareTexts } from '../text/code-points.js';
import { folded } from '../text/folded.js';

/** Which documents a query keeps. Read stores turn it into a query of their own; `matchesFilter` says what it means. */
export type Filter =
  | { readonly all: readonly Filter[] }
  | { readonly any: readonly Filter[] }
  | { readonly not: Filter }
  | Comparison;

/**
 * A stored value is compared as `kind` says and is never converted: one of another kind is unequal to everything. A list
 * is a set of texts. A missing value (absent or null) fails all operators but ne, nin and isEmpty. isEmpty also holds for
 * an empty text and an empty list.
 */
export interface Comparison {
  /** A path in the document: `values.fld_1`, `createdAt`, `id`. */
  readonly field: string;
  readonly kind: Kind;
  readonly operator: ComparisonOperator;
  /** Left out for isEmpty and isNotEmpty. */
  readonly value?: Json;
}

export type Kind = 'text' | 'number' | 'boolean' | 'list' | 'json';
export type ComparisonOperator =
  | 'eq'
  /** Of texts: the same but for the case of ASCII letters, as addresses are compared. */
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

/** A part of one of these fields that are texts, whatever its case. An empty text is a part of every text. */
export interface Search {
  readonly fields: readonly string[];
  readonly text: string;
}

/** MongoDB takes no longer text into a pattern. Whoever reads a filter of a request has to refuse longer ones. */
export const longestPart = 4_000;

type Operand = 'one' | 'several' | 'part' | 'nothing';

const ordered = { eq: 'one', ne: 'one', gt: 'one', gte: 'one', lt: 'one', lte: 'one' } as const;
const chosen = { in: 'several', nin: 'several' } as const;
const emptiness = { isEmpty: 'nothing', isNotEmpty: 'nothing' } as const;

/** The operators of each kind, with what they take. */
const operands: Readonly<Record<Kind, Readonly<Partial<Record<ComparisonOperator, Operand>>>>> = {
  text: { ...ordered, eqIgnoringCase: 'part', ...chosen, ...emptiness, contains: 'part', startsWith: 'part' },
  number: { ...ordered, ...chosen, ...emptiness },
  boolean: { eq: 'one', ne: 'one', ...chosen, ...emptiness },
  list: { eq: 'one', ne: 'one', ...chosen, ...emptiness, contains: 'part' },
  json: { eq: 'one', ne: 'one', ...emptiness },
};

/** The operators that a kind knows. */
export const operatorsOf = (kind: Kind): readonly ComparisonOperator[] =>
  Object.keys(operands[kind]) as readonly ComparisonOperator[];

/** @throws Error for a comparison that has no meaning, which is a fault of the code that made it */
export function checkComparison({ field, kind, operator, value }: Comparison): void {
  const takes = Object.hasOwn(operands, kind) ? operands[kind][operator] : undefined;
  if (takes === undefined || !fits(kind, takes, value)) {
    throw new Error(`Not a comparison of ${field}: ${kind} ${operator} ${JSON.stringify(value)?.slice(0, 200)}.`);
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

/** Whether a stored value is compared as this kind. */
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

/** What a filter means, in the plainest way. Judges one document, and read stores are tested against it. */
export function matchesFilter(document: object, filter: Filter): boolean {
  if ('all' in filter) return filter.all.every((part) => matchesFilter(document, part));
  if ('any' in filter) return filter.any.some((part) => matchesFilter(document, part));
  if ('not' in filter) return !matchesFilter(document, filter.not);
  checkComparison(filter);
  return holds(filter, fieldOf(document, filter.field));
}

export function matchesSearch(document: object, { fields, text }: Search): boolean {
  const wanted = folded(text);
  return fields.some((field) => {
    const value = fieldOf(document, field);
    return typeof value === 'string' && folded(value).includes(wanted);
  });
}

/** Own members only. Null counts as absent. */
export function fieldOf(document: object, path: string): Json | undefined {
  let value: unknown = document;
  for (const name of path.split('.')) {
    const hasIt = typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, name);
    if (!hasIt) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return (value ?? undefined) as Json | undefined;
}

function holds({ kind, operator, value: wanted = null }: Comparison, value: Json | undefined): boolean {
  switch (operator) {
    case 'eq':
      return equals(kind, value, wanted);
    case 'eqIgnoringCase':
      return isOf(kind, value) && inLowerCase(String(value)) === inLowerCase(String(wanted));
    case 'ne':
      return !equals(kind, value, wanted);
    case 'in':
      return isChosen(kind, value, wanted);
    case 'nin':
      return !isChosen(kind, value, wanted);
    case 'gt':
      return isOf(kind, value) && distance(value, wanted) > 0;
    case 'gte':
      return isOf(kind, value) && distance(value, wanted) >= 0;
    case 'lt':
      return isOf(kind, value) && distance(value, wanted) < 0;
    case 'lte':
      return isOf(kind, value) && distance(value, wanted) <= 0;
    case 'contains':
      return isOf(kind, value) && (value as string | readonly Json[]).includes(wanted as string);
    case 'startsWith':
      return typeof value === 'string' && value.startsWith(String(wanted));
    case 'isEmpty':
      return isEmpty(value);
    case 'isNotEmpty':
      return !isEmpty(value);
  }
}

function equals(kind: Kind, value: Json | undefined, wanted: Json): boolean {
  if (value === undefined || !isOf(kind, value)) return false;
  if (kind === 'json') return canonicalJson(value) === canonicalJson(wanted);
  if (!Array.isArray(value)) return value === wanted;
  return Array.isArray(wanted) ? sameMembers(value, wanted) : value.includes(wanted);
}

const sameMembers = (one: readonly Json[], other: readonly Json[]) =>
  one.every((member) => other.includes(member)) && other.every((member) => one.includes(member));

function isChosen(kind: Kind, value: Json | undefined, choices: Json): boolean {
  if (value === undefined || !isOf(kind, value) || !Array.isArray(choices)) return false;
  return Array.isArray(value) ? value.some((one) => choices.includes(one)) : choices.includes(value);
}

const distance = (value: Json | undefined, wanted: Json) =>
  typeof value === 'string' ? compareTexts(value, String(wanted)) : Number(value) - Number(wanted);

const isEmpty = (value: Json | undefined) =>
  value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
