import { isJsonArray, type Json } from '../../../../kernel/json/json.js';
import { type ComparisonOperator, type Filter, longestPart, operatorsOf } from '../../../../kernel/rows/row-filter.js';
import { checkedTextValue } from './checked-value.js';
import { type Column, columnOperand } from './column.js';

export const mostChoices = 100_000;

export type Compared = { readonly filter: Filter } | { readonly wrong: string };

const operators: ReadonlySet<string> = new Set([
  'eq',
  'ne',
  'gt',
  'gte',
  'lt',
  'lte',
  'in',
  'nin',
  'contains',
  'startsWith',
  'isEmpty',
  'isNotEmpty',
] satisfies ComparisonOperator[]);

/** Values for which `comesLater` is true are not known yet, so they are neither checked nor included in the filter. */
export function comparisonOf(
  column: Column,
  operator: string,
  sent: Json,
  comesLater: (value: Json) => boolean = () => false,
): Compared {
  const known = operatorsOf(column.kind).filter((one) => operators.has(one));
  const found = known.find((one) => one === operator);
  if (found === undefined) {
    return { wrong: `is not an operator of the type ${column.type}; its operators are ${known.join(', ')}` };
  }
  if (comesLater(sent)) return compared(column, found);
  const value = isJsonArray(sent) && sent.some(comesLater) ? sent.filter((one) => !comesLater(one)) : sent;
  switch (found) {
    case 'isEmpty':
    case 'isNotEmpty':
      return emptiness(column, found, value);
    case 'in':
    case 'nin':
      return choice(column, found, value);
    case 'contains':
    case 'startsWith':
      return part(column, found, value);
    case 'eq':
    case 'ne':
      if (value === null) return compared(column, found === 'eq' ? 'isEmpty' : 'isNotEmpty');
      return column.kind === 'list' && Array.isArray(value) ? choice(column, found, value) : one(column, found, value);
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
    case 'eqIgnoringCase':
      return one(column, found, value);
  }
}

const compared = ({ path: field, kind }: Column, operator: ComparisonOperator, value?: Json): Compared => ({
  filter: { field, kind, operator, ...(value === undefined ? {} : { value }) },
});

function one(column: Column, operator: ComparisonOperator, value: Json): Compared {
  const checked = columnOperand(column, value);
  return 'wrong' in checked ? checked : compared(column, operator, checked.value);
}

/** The value false inverts the operator. Null means the same as true, because these operators need no value. */
function emptiness(column: Column, operator: 'isEmpty' | 'isNotEmpty', value: Json): Compared {
  if (value !== null && typeof value !== 'boolean') return { wrong: 'must be true or false' };
  if (value !== false) return compared(column, operator);
  return compared(column, operator === 'isEmpty' ? 'isNotEmpty' : 'isEmpty');
}

function choice(column: Column, operator: ComparisonOperator, value: Json): Compared {
  if (!Array.isArray(value)) return { wrong: 'must be a list of values' };
  if (value.length > mostChoices) return { wrong: `must list at most ${mostChoices} values` };
  const choices: Json[] = [];
  for (const [index, entry] of (value as readonly Json[]).entries()) {
    const checked = columnOperand(column, entry);
    if ('wrong' in checked) return { wrong: `has an invalid entry ${index + 1}, which ${checked.wrong}` };
    choices.push(checked.value);
  }
  return compared(column, operator, choices);
}

/** Dates are stored as texts, so `{ startsWith: '2026-11' }` finds the dates of a month. */
function part(column: Column, operator: ComparisonOperator, value: Json): Compared {
  const checked = checkedTextValue(value);
  if ('wrong' in checked) return checked;
  const { length } = String(checked.value);
  if (length === 0) return { wrong: 'must not be empty: every text contains it' };
  return length > longestPart
    ? { wrong: `must be at most ${longestPart} characters` }
    : compared(column, operator, checked.value);
}
