import { instantOf } from '../../../../kernel/condition/instant.js';
import type { ConditionScalar } from '../../../../kernel/condition/operators.js';

export interface Comparable {
  readonly kind: 'text' | 'number' | 'boolean' | 'list';
  readonly stored: (value: ConditionScalar) => readonly ConditionScalar[];
}

const texts = (value: ConditionScalar): readonly ConditionScalar[] => (typeof value === 'string' ? [value] : []);
const numbers = (value: ConditionScalar): readonly ConditionScalar[] => (typeof value === 'number' ? [value] : []);
const booleans = (value: ConditionScalar): readonly ConditionScalar[] => (typeof value === 'boolean' ? [value] : []);

function instants(value: ConditionScalar): readonly string[] {
  const instant = typeof value === 'string' ? instantOf(value) : undefined;
  return instant === undefined ? [] : [new Date(instant).toISOString()];
}

const days = (value: ConditionScalar): readonly string[] =>
  instants(value).flatMap((instant) => (instant.endsWith('T00:00:00.000Z') ? [instant.slice(0, 10)] : []));

const text: Comparable = { kind: 'text', stored: texts };
const number: Comparable = { kind: 'number', stored: numbers };

/** Keyed by field type. A rule over a field of any other type gives no access. */
const comparables: ReadonlyMap<string, Comparable> = new Map<string, Comparable>([
  ['text', text],
  ['longText', text],
  ['email', text],
  ['url', text],
  ['phone', text],
  ['select', text],
  ['user', text],
  ['relation', text],
  ['number', number],
  ['integer', number],
  ['boolean', { kind: 'boolean', stored: booleans }],
  ['multiSelect', { kind: 'list', stored: texts }],
  ['date', { kind: 'text', stored: days }],
  ['dateTime', { kind: 'text', stored: instants }],
]);

export const comparableOf = (type: string): Comparable | undefined => comparables.get(type);

export const holdsAddresses = (type: string): boolean => type === 'email' || type === 'text' || type === 'longText';
