/**
 * A set of distinct values to be counted. Up to `exact` values, it contains their hashes, each of 48 evenly distributed
 * bits as eight characters of base64url. Beyond that, it is a HyperLogLog sketch: a mark followed by one character per
 * register. The sketch's standard error is 1.04 divided by the square root of the number of registers.
 */
export type Distinct = string;

export interface Precision {
  readonly exact: number;
  /** Number of registers of a sketch, which must be a power of two. */
  readonly registers: number;
}

export const noneCounted: Distinct = '';

const hashLength = 8;
const hashBits = 48;
const mark = '!';
const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const valuesByCode = new Uint8Array(128);
for (let value = 0; value < digits.length; value += 1) valuesByCode[digits.charCodeAt(value)] = value;
const valueOfDigit = (digit: string): number => valuesByCode[digit.charCodeAt(0)] ?? 0;

const isSketch = (counted: Distinct): boolean => counted.startsWith(mark);

export function withHashes(counted: Distinct, hashes: Iterable<string>, { exact, registers }: Precision): Distinct {
  if (isSketch(counted)) return sketched([...counted.slice(1)], hashes);
  const all = new Set([...hashesIn(counted), ...hashes]);
  if (all.size <= exact) return [...all].join('');
  return sketched(Array<string>(registers).fill('A'), all);
}

/** Returns the number of values, which is an estimate if there are more than `exact`. */
export function countOf(counted: Distinct): number {
  if (!isSketch(counted)) return counted.length / hashLength;
  const m = counted.length - 1;
  let empty = 0;
  let sum = 0;
  for (let at = 1; at <= m; at += 1) {
    const rank = valuesByCode[counted.charCodeAt(at)] ?? 0;
    if (rank === 0) empty += 1;
    sum += 2 ** -rank;
  }
  const raw = ((0.7213 / (1 + 1.079 / m)) * m * m) / sum;
  return Math.round(raw <= 2.5 * m && empty > 0 ? m * Math.log(m / empty) : raw);
}

function hashesIn(counted: Distinct): readonly string[] {
  return Array.from({ length: counted.length / hashLength }, (_, at) =>
    counted.slice(at * hashLength, (at + 1) * hashLength),
  );
}

function sketched(registers: string[], hashes: Iterable<string>): Distinct {
  const indexBits = Math.log2(registers.length);
  for (const hash of hashes) {
    const bits = [...hash].reduce((sum, digit) => sum * 64 + valueOfDigit(digit), 0);
    const at = Math.floor(bits / 2 ** (hashBits - indexBits));
    const rest = bits % 2 ** (hashBits - indexBits);
    // Position of the first bit that is 1 in the remaining bits, counted from 1.
    const rank = rest === 0 ? hashBits - indexBits + 1 : hashBits - indexBits - Math.floor(Math.log2(rest));
    if (rank > valueOfDigit(registers[at] ?? '')) registers[at] = digits[rank] ?? '';
  }
  return mark + registers.join('');
}
