import { isJsonArray, isJsonObject, type Json } from '../../../kernel/json/json.js';
import { isSame } from './sameness.js';
import type { Keyword } from './schema-visit.js';

const types: Readonly<Record<string, { readonly words: string; readonly is: (value: Json) => boolean }>> = {
  null: { words: 'null', is: (value) => value === null },
  boolean: { words: 'a boolean', is: (value) => typeof value === 'boolean' },
  integer: { words: 'an integer', is: (value) => Number.isInteger(value) },
  number: { words: 'a number', is: (value) => typeof value === 'number' },
  string: { words: 'a string', is: (value) => typeof value === 'string' },
  array: { words: 'an array', is: isJsonArray },
  object: { words: 'an object', is: isJsonObject },
};

const type: Keyword = (operand, look) => {
  const allowed = (isJsonArray(operand) ? operand : [operand]).flatMap((name) => types[String(name)] ?? []);
  return (
    allowed.some(({ is }) => is(look.value)) || look.wrong(`must be ${allowed.map(({ words }) => words).join(' or ')}`)
  );
};

const anyOfThese: Keyword = (operand, look) =>
  !isJsonArray(operand) ||
  operand.some((allowed) => isSame(allowed, look.value, () => look.judging.step())) ||
  look.wrong(`must be one of ${quoted(operand).slice(1, -1)}`);

const exactly: Keyword = (operand, look) =>
  isSame(operand, look.value, () => look.judging.step()) || look.wrong(`must be ${quoted(operand)}`);

const pattern: Keyword = (operand, look) =>
  typeof look.value !== 'string' ||
  typeof operand !== 'string' ||
  look.judging.matches(operand, look.value) ||
  look.wrong(`must match the pattern ${short(operand)}`);

const number =
  (holds: (value: number, bound: number) => boolean, words: string): Keyword =>
  (bound, look) =>
    typeof look.value !== 'number' ||
    typeof bound !== 'number' ||
    holds(look.value, bound) ||
    look.wrong(`must be ${words} ${bound}`);

/** @param count returns undefined if the keyword does not apply to the value */
export const size =
  (count: (value: Json) => number | undefined, holds: typeof atLeast, words: string, unit: string): Keyword =>
  (bound, look) => {
    const counted = count(look.value);
    if (counted === undefined || typeof bound !== 'number' || holds(counted, bound)) return true;
    return look.wrong(`must ${words} ${bound} ${unit}${bound === 1 ? '' : 's'}`);
  };

export const atLeast = (value: number, bound: number): boolean => value >= bound;
export const atMost = (value: number, bound: number): boolean => value <= bound;

const characters = (value: Json): number | undefined => {
  if (typeof value !== 'string') return undefined;
  let count = 0;
  for (const _ of value) count += 1;
  return count;
};

const quoted = (value: Json): string => short(JSON.stringify(value));
const short = (text: string): string =>
  (text.length > 200 ? `${text.slice(0, 200)}…` : text).replaceAll(/[\r\n\u2028\u2029]/g, ' ');

export const valueKeywords: Readonly<Record<string, Keyword>> = {
  type,
  enum: anyOfThese,
  const: exactly,
  minimum: number(atLeast, 'at least'),
  maximum: number(atMost, 'at most'),
  exclusiveMinimum: number((value, bound) => value > bound, 'greater than'),
  exclusiveMaximum: number((value, bound) => value < bound, 'less than'),
  multipleOf: number(isMultiple, 'a multiple of'),
  minLength: size(characters, atLeast, 'have at least', 'character'),
  maxLength: size(characters, atMost, 'have at most', 'character'),
  pattern,
};

/** Calculates with decimal digits, because in binary floating point 0.3 is not a multiple of 0.1. */
function isMultiple(value: number, of: number): boolean {
  const [digits, power] = decimal(value);
  const [ofDigits, ofPower] = decimal(of);
  if (ofDigits === 0n) return false;
  const least = Math.min(power, ofPower);
  return (digits * 10n ** BigInt(power - least)) % (ofDigits * 10n ** BigInt(ofPower - least)) === 0n;
}

function decimal(value: number): readonly [digits: bigint, power: number] {
  const [mantissa = '0', exponent = '0'] = value.toString().split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  return [BigInt(whole + fraction), Number(exponent) - fraction.length];
}
