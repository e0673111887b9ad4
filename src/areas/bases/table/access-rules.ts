import { checkCondition, type Known } from '../../../kernel/condition/check-condition.js';
import type { Condition, PolicyReference, Rule } from '../../../kernel/condition/condition.js';
import { isList, rulesOf } from '../../../kernel/condition/rules-of.js';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { type InvalidField } from '../../../kernel/refusals/refusal.js';
import type { FieldRules, Table, TableField, TableRules } from './table.record.js';

type Sent = Condition | null | undefined;

export interface FieldRulesInput {
  readonly read?: Sent;
  readonly write?: Sent;
}

export interface TableRulesInput {
  readonly read?: Sent;
  readonly create?: Sent;
  readonly update?: Sent;
  readonly delete?: Sent;
}

/**
 * @param fields the table's fields, to which rules may refer
 * @param path path of the conditions in the input
 * @param known the policies, roles and functions to which conditions may refer
 * @throws Refusal invalid-input
 */
export function checkedTableRules(
  sent: TableRulesInput & FieldRulesInput,
  fields: readonly TableField[],
  path: string,
  known: Known,
): TableRules & FieldRules {
  const checked = Object.entries(sent).flatMap(([right, condition]): [string, Condition][] => {
    if (condition === undefined || condition === null) return [];
    const at = `${path}.${right}`;
    const result = checkCondition(condition, { place: 'table', ...known });
    if (!result.ok) {
      return refuseInput(result.problems.map((problem) => ({ ...problem, path: joined(at, problem.path) })));
    }
    const wrong = wrongFields(result.condition, at, fields);
    return wrong.length > 0 ? refuseInput(wrong.slice(0, 20)) : [[right, result.condition]];
  });
  return Object.fromEntries(checked);
}

function wrongFields(condition: Condition, path: string, fields: readonly TableField[]): readonly InvalidField[] {
  const named = new Map(fields.map((field) => [field.name, field]));
  const known = () =>
    `the table has ${
      fields.length === 0
        ? 'none'
        : fields
            .map(({ name }) => name)
            .join(', ')
            .slice(0, 500)
    }`;
  return rulesOf(condition, path).flatMap(({ rule, path: at }) => {
    if (rule.type === 'field_match' || (rule.type === 'email' && 'field' in rule)) {
      return named.has(rule.field)
        ? []
        : [{ path: `${at}.field`, message: `must be a field of the table: ${known()}` }];
    }
    if (rule.type !== 'relationship') return [];
    const isFine = fields.some(
      ({ name, type }) =>
        (type === 'user' && rule.path === name) || (type === 'relation' && rule.path.startsWith(`${name}.`)),
    );
    if (isFine) return [];
    return [{ path: `${at}.path`, message: 'must lead through relation fields to a user field, such as order.buyer' }];
  });
}

/** A field of a table that gets a new name. */
export interface FieldRename {
  readonly from: string;
  readonly to: string;
  readonly isRelation: boolean;
  /** Names of the relation fields, before the change, that lead to rows of the same table. */
  readonly backToTable: ReadonlySet<string>;
}

export function fieldRename({ id, fields }: Pick<Table, 'id' | 'fields'>, from: string, to: string): FieldRename {
  const relations = fields.filter(({ type }) => type === 'relation');
  const back = relations.filter(({ targetTableId }) => targetTableId === id);
  const isRelation = relations.some(({ name }) => name === from);
  return { from, to, isRelation, backToTable: new Set(back.map(({ name }) => name)) };
}

export function rulesRenamed<Rules extends TableRules | FieldRules>(rules: Rules, rename: FieldRename): Rules {
  const entries = Object.entries(rules) as readonly [string, Condition][];
  const renamed = entries.map(([right, condition]) => [right, conditionRenamed(condition, rename)] as const);
  const isSame = renamed.every(([, condition], index) => condition === entries[index]?.[1]);
  return isSame ? rules : { ...rules, ...Object.fromEntries(renamed) };
}

function conditionRenamed(condition: Condition, rename: FieldRename): Condition {
  if (isList(condition)) {
    return each(condition, (one) => conditionRenamed(one, rename) as Rule | PolicyReference);
  }
  if ('type' in condition) return ruleRenamed(condition, rename);
  if ('policy' in condition) return condition;
  if ('not' in condition) {
    const not = conditionRenamed(condition.not, rename);
    return not === condition.not ? condition : { not };
  }
  const parts = 'all' in condition ? condition.all : condition.any;
  const after = each(parts, (one) => conditionRenamed(one, rename));
  if (after === parts) return condition;
  return 'all' in condition ? { all: after } : { any: after };
}

function ruleRenamed(rule: Rule, rename: FieldRename): Rule {
  const { from, to } = rename;
  if ('field' in rule && rule.field === from) return { ...rule, field: to };
  if (rule.type !== 'relationship') return rule;
  const path = pathRenamed(rule.path, rename);
  return path === rule.path ? rule : { ...rule, path };
}

/** Follows the path while it stays in this table. Names of fields can contain dots, so the longest one that fits counts. */
function pathRenamed(path: string, rename: FieldRename): string {
  const { from, to, isRelation, backToTable } = rename;
  if (path === from) return to;
  const relations = [...(isRelation ? [from] : []), ...backToTable];
  const fitting = relations.filter((name) => path.startsWith(`${name}.`));
  const [first] = fitting.sort((one, other) => other.length - one.length);
  if (first === undefined) return path;
  const rest = path.slice(first.length + 1);
  return `${first === from ? to : first}.${backToTable.has(first) ? pathRenamed(rest, rename) : rest}`;
}

function each<One>(list: readonly One[], change: (one: One) => One): readonly One[] {
  const after = list.map(change);
  return after.every((one, index) => one === list[index]) ? list : after;
}

const joined = (path: string, inner: string) =>
  inner === '' ? path : inner.startsWith('[') ? `${path}${inner}` : `${path}.${inner}`;
