import { instantOf } from './instant.js';

export type Operator = 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'nin' | 'contains' | 'isEmpty' | 'isNotEmpty';

export type ConditionScalar = string | number | boolean;

export interface Operand {
  readonly single: ConditionScalar | undefined;
  readonly instant: number | undefined;
  readonly several: { readonly choices: ReadonlySet<unknown>; readonly instants: ReadonlySet<number> } | undefined;
}

interface Meaning {
  readonly takes: 'one value' | 'a number or a text' | 'a list' | 'nothing';
  /** Words between property and operand in an explanation. */
  readonly words: string;
  readonly holds: (value: unknown, operand: Operand) => boolean;
}

/**
 * Numbers and dates are compared by value, texts case-sensitively, and no value is converted to another type. A missing
 * or null value fails every operator except ne, nin and isEmpty. A list matches eq or `in` if any of its entries does.
 * ne and nin are their opposites, so `ne` fails for a list if any of its entries is the operand.
 */
export const meanings: Readonly<Record<Operator, Meaning>> = {
  eq: { takes: 'one value', words: 'is', holds: isChosen },
  ne: { takes: 'one value', words: 'is not', holds: (value, operand) => !isChosen(value, operand) },
  gt: { takes: 'a number or a text', words: 'is more than', holds: (value, than) => distance(value, than) > 0 },
  gte: { takes: 'a number or a text', words: 'is at least', holds: (value, than) => distance(value, than) >= 0 },
  lt: { takes: 'a number or a text', words: 'is less than', holds: (value, than) => distance(value, than) < 0 },
  lte: { takes: 'a number or a text', words: 'is at most', holds: (value, than) => distance(value, than) <= 0 },
  in: { takes: 'a list', words: 'is one of', holds: isChosen },
  nin: { takes: 'a list', words: 'is none of', holds: (value, operand) => !isChosen(value, operand) },
  contains: { takes: 'one value', words: 'contains', holds: contains },
  isEmpty: { takes: 'nothing', words: 'is empty', holds: isEmpty },
  isNotEmpty: { takes: 'nothing', words: 'is not empty', holds: (value) => !isEmpty(value) },
};

export const operators = Object.keys(meanings) as readonly Operator[];

/** Never throws, even for a malformed value. */
export function matches(operator: Operator, value: unknown, operand: Operand): boolean {
  return meanings[operator].holds(value, operand);
}

const none: Operand = { single: undefined, instant: undefined, several: undefined };

export function operandOf(value: ConditionScalar | readonly ConditionScalar[] | undefined): Operand {
  if (value === undefined) return none;
  if (typeof value !== 'object') return { single: value, instant: instantOfAny(value), several: undefined };
  const [first] = value;
  if (value.length === 1) return operandOf(first);
  const instants = value.map(instantOfAny).filter((instant) => instant !== undefined);
  return { ...none, several: { choices: new Set(value), instants: new Set(instants) } };
}

const instantOfAny = (value: unknown) => (typeof value === 'string' ? instantOf(value) : undefined);

function isChosen(value: unknown, operand: Operand): boolean {
  return Array.isArray(value) ? value.some((entry) => equals(entry, operand)) : equals(value, operand);
}

function equals(value: unknown, { single, instant, several }: Operand): boolean {
  if (several === undefined) {
    return value === single || (instant !== undefined && instantOfAny(value) === instant);
  }
  if (several.choices.has(value)) return true;
  const own = several.instants.size === 0 ? undefined : instantOfAny(value);
  return own !== undefined && several.instants.has(own);
}

/**
 * NaN (neither less, greater nor equal) if the values cannot be ordered, like a number and a text, or a word that is
 * compared with a date.
 */
function distance(value: unknown, { single, instant }: Operand): number {
  if (typeof value === 'number' && typeof single === 'number') return value - single;
  if (typeof value !== 'string' || typeof single !== 'string') return Number.NaN;
  if (instant !== undefined) return (instantOf(value) ?? Number.NaN) - instant;
  return value === single ? 0 : value > single ? 1 : -1;
}

function contains(value: unknown, operand: Operand): boolean {
  if (Array.isArray(value)) return isChosen(value, operand);
  return typeof value === 'string' && typeof operand.single === 'string' && value.includes(operand.single);
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

export function isOperator(name: unknown): name is Operator {
  return typeof name === 'string' && Object.hasOwn(meanings, name);
}

export function wrongOperand(operator: Operator, value: unknown): string | undefined {
  const { takes } = meanings[operator];
  switch (takes) {
    case 'nothing':
      return value === undefined ? undefined : `must be left out: ${operator} takes no value`;
    case 'a list':
      if (!Array.isArray(value) || value.length === 0) return `must be a list of at least one value for ${operator}`;
      return value.every(isScalar) ? undefined : 'must list texts, numbers, true or false';
    case 'a number or a text':
      return isScalar(value) && typeof value !== 'boolean' ? undefined : `must be a number or a text for ${operator}`;
    case 'one value':
      if (value === null) return 'must be a text, a number, true or false; isEmpty matches what has no value';
      if (!isScalar(value)) return `must be one text, number, true or false for ${operator}`;
      return operator === 'contains' && value === '' ? 'must not be empty: every text contains it' : undefined;
  }
}

const isScalar = (value: unknown): value is ConditionScalar =>
  typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);

/** Ignores inherited members. Returns undefined for lists. */
export function ownValue(source: unknown, key: string): unknown {
  if (typeof source !== 'object' || source === null || Array.isArray(source) || !Object.hasOwn(source, key))
    return undefined;
  return (source as Readonly<Record<string, unknown>>)[key];
}

/** If the path contains dots, a member whose whole name is the path takes precedence over nested members. */
export function valueAt(source: unknown, path: string): unknown {
  const whole = ownValue(source, path);
  if (whole !== undefined || !path.includes('.')) return whole;
  return path.split('.').reduce(ownValue, source);
}
