import {
  isOperator,
  matches,
  type Operand,
  type Operator,
  operandOf,
  operators,
  ownValue,
  valueAt,
  wrongOperand,
} from '../../../kernel/condition/operators.js';
import { pathWithin } from '../../../kernel/condition/path.js';
import { type InvalidField } from '../../../kernel/refusals/refusal.js';
import { type AccountEventFacts, sourceOf } from '../account-event/account-event.record.js';
import type { TriggerFilter } from './event-trigger.record.js';

export type Matchable = Pick<AccountEventFacts, 'name' | 'origin' | 'subject' | 'properties'>;

const mostFilters = 20;
const mostBytes = 16 * 1024;
const mostChoices = 200;
const longestField = 200;

export function wrongFilters(sent: readonly unknown[]): readonly InvalidField[] {
  if (sent.length > mostFilters) return [{ path: 'filters', message: `must have at most ${mostFilters} entries` }];
  if (Buffer.byteLength(JSON.stringify(sent)) > mostBytes) {
    return [{ path: 'filters', message: `must be at most ${mostBytes} bytes of JSON` }];
  }
  return sent.flatMap((filter, index) => wrongFilter(filter, `filters[${index}]`));
}

function wrongFilter(sent: unknown, path: string): readonly InvalidField[] {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return [{ path, message: 'must be an object' }];
  const unknown = Object.keys(sent).filter((key) => !['field', 'op', 'value'].includes(key));
  const [field, op, value] = ['field', 'op', 'value'].map((key) => ownValue(sent, key));
  return [
    ...unknown.map((key) => ({ path: pathWithin(path, key), message: 'is not a member of a filter' })),
    ...wrongField(field, `${path}.field`),
    ...(isOperator(op)
      ? wrongValue(op, value, `${path}.value`)
      : [{ path: `${path}.op`, message: `must be an operator: ${operators.join(', ')}` }]),
  ];
}

function wrongField(field: unknown, path: string): readonly InvalidField[] {
  if (typeof field !== 'string' || field === '') return [{ path, message: 'is required and must be a text' }];
  return field.length > longestField ? [{ path, message: `must be at most ${longestField} characters` }] : [];
}

function wrongValue(op: Operator, value: unknown, path: string): readonly InvalidField[] {
  const message = wrongOperand(op, value);
  if (message !== undefined) return [{ path, message }];
  const isLong = Array.isArray(value) && value.length > mostChoices;
  return isLong ? [{ path, message: `must list at most ${mostChoices} values` }] : [];
}

export interface CompiledFilter extends TriggerFilter {
  readonly operand: Operand;
}

export const compile = (filter: TriggerFilter): CompiledFilter => ({ ...filter, operand: operandOf(filter.value) });

/** See the section "Filter semantics" of the Account Events API. */
export function allMatch(filters: readonly CompiledFilter[], event: Matchable): boolean {
  return filters.every(({ field, op, operand }) => matches(op, fieldValue(event, field), operand));
}

export function fieldValue(event: Matchable, field: string): unknown {
  switch (field) {
    case 'name':
      return event.name;
    case 'source':
      return sourceOf(event.name);
    case 'origin':
      return event.origin;
    case 'subject.name':
      return ownValue(event.subject, 'name');
    default:
      return valueAt(event.properties, field);
  }
}
