import {
  type ConditionScalar,
  isOperator,
  operators,
  ownValue,
  wrongOperand,
} from '../../../kernel/condition/operators.js';
import { readPath } from '../../../kernel/json/template.js';
import { type InvalidField } from '../../../kernel/refusals/refusal.js';
import type { FlowFilter, StepSettings } from './flow.record.js';
import type { SettingInputs } from './step-shapes.js';

const mostChoices = 200;

export function checkedStepCondition(
  { filters, otherwise, goto }: SettingInputs['condition'],
  path: string,
  later: ReadonlySet<string>,
): StepSettings['condition'] | { readonly wrong: readonly InvalidField[] } {
  const wrong: InvalidField[] = [];
  if (filters.length === 0) wrong.push({ path: `${path}.filters`, message: 'must not be empty' });
  const checked = filters.flatMap((filter, at) => {
    const found = wrongFilter(filter, `${path}.filters[${at}]`);
    wrong.push(...found);
    return found.length > 0 ? [] : [filterOf(filter)];
  });
  const goes = otherwise === 'goto' || (otherwise === undefined && goto !== undefined);
  if (otherwise === 'stop' && goto !== undefined) {
    wrong.push({ path: `${path}.goto`, message: "must be omitted if otherwise is 'stop'" });
  }
  if (goes && (goto === undefined || !later.has(goto))) {
    wrong.push({ path: `${path}.goto`, message: 'must be the id of a later step' });
  }
  return wrong.length > 0 ? { wrong } : { filters: checked, goto: goes && goto !== undefined ? goto : null };
}

function wrongFilter(filter: object, path: string): readonly InvalidField[] {
  const [field, op, value] = ['field', 'op', 'value'].map((key) => ownValue(filter, key));
  const unknown = Object.keys(filter).filter((key) => !['field', 'op', 'value'].includes(key));
  const wrong = unknown.map((key) => ({ path: `${path}.${key}`, message: 'is not a member of a filter' }));
  const reach = typeof field === 'string' && field.length <= 500 ? readPath(field) : undefined;
  if (reach === undefined || (reach[0] !== 'input' && reach[0] !== 'steps')) {
    wrong.push({ path: `${path}.field`, message: 'must be a path such as input.total or steps.charge.status' });
  }
  if (!isOperator(op)) {
    return [...wrong, { path: `${path}.op`, message: `must be an operator: ${operators.join(', ')}` }];
  }
  const message =
    wrongOperand(op, value) ??
    (Array.isArray(value) && value.length > mostChoices ? `must list at most ${mostChoices} values` : undefined);
  return message === undefined ? wrong : [...wrong, { path: `${path}.value`, message }];
}

function filterOf(filter: object): FlowFilter {
  const value = ownValue(filter, 'value') as ConditionScalar | readonly ConditionScalar[] | undefined;
  const [field, op] = [ownValue(filter, 'field'), ownValue(filter, 'op')] as [string, FlowFilter['op']];
  return { field, op, ...(value === undefined ? {} : { value }) };
}
