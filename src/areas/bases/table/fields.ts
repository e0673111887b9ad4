import { isDeepStrictEqual } from 'node:util';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { refuse } from '../bases.refusals.js';
import type { FieldRulesInput } from './access-rules.js';
import type { FieldType, TableField } from './table.record.js';

export const mostFields = 200;
export const mostOptions = 1_000;
export const longestOption = 200;

export interface FieldInput {
  readonly name: string;
  readonly type: FieldType;
  readonly required?: boolean;
  readonly unique?: boolean;
  readonly indexed?: boolean;
  readonly options?: readonly string[];
  readonly targetTableId?: string;
  readonly accessRules?: FieldRulesInput;
}

/**
 * Converts a new field to stored form, without its rules.
 * @param tableIds ids of the tables of the base
 * @param path path of the field in the input
 * @throws Refusal invalid-input
 */
export function newField(id: string, input: FieldInput, tableIds: ReadonlySet<string>, path: string): TableField {
  const { name, type, required = false, unique = false, indexed = false } = input;
  mustBeComparable(type, unique, path);
  const options = checkedOptions(type, input.options, path);
  const targetTableId = checkedTarget(type, input.targetTableId, tableIds, path);
  return {
    id,
    name,
    type,
    required,
    unique,
    indexed,
    ...(options === undefined ? {} : { options }),
    ...(targetTableId === undefined ? {} : { targetTableId }),
    accessRules: {},
  };
}

export interface FieldChange {
  readonly name?: string;
  readonly required?: boolean;
  readonly unique?: boolean;
  readonly indexed?: boolean;
  readonly options?: readonly string[];
}

/**
 * Returns `field` itself if the change makes no difference.
 * @throws Refusal invalid-input
 */
export function changedField(field: TableField, { name, required, unique, indexed, options }: FieldChange): TableField {
  const after: TableField = {
    ...field,
    name: name ?? field.name,
    required: required ?? field.required,
    unique: unique ?? field.unique,
    indexed: indexed ?? field.indexed,
    ...(options === undefined ? {} : { options: checkedOptions(field.type, options, '') ?? [] }),
  };
  mustBeComparable(after.type, after.unique, '');
  return isDeepStrictEqual(after, field) ? field : after;
}

function mustBeComparable(type: FieldType, unique: boolean, path: string): void {
  if (!unique || (type !== 'json' && type !== 'multiSelect')) return;
  refuseInput([{ path: within(path, 'unique'), message: `must be omitted or false for the type ${type}` }]);
}

/** @throws Refusal field-name-taken */
export function mustHaveOwnNames(fields: readonly TableField[]): void {
  const names = new Set<string>();
  for (const { name } of fields) {
    if (names.has(name)) refuse('field-name-taken', { name });
    names.add(name);
  }
}

function checkedOptions(
  type: FieldType,
  options: readonly string[] | undefined,
  path: string,
): readonly string[] | undefined {
  const at = within(path, 'options');
  if (type !== 'select' && type !== 'multiSelect') {
    return options === undefined || options.length === 0
      ? undefined
      : refuseInput([
          { path: at, message: `are only allowed for select and multiSelect, and this field is of type ${type}` },
        ]);
  }
  if (options === undefined || options.length === 0) {
    return refuseInput([{ path: at, message: `must list at least one string for the type ${type}` }]);
  }
  if (options.length > mostOptions) refuseInput([{ path: at, message: `must have at most ${mostOptions} entries` }]);
  const seen = new Set<string>();
  for (const [index, option] of options.entries()) {
    const wrong = wrongOption(option) ?? (seen.has(option) ? 'is listed twice' : undefined);
    if (wrong !== undefined) refuseInput([{ path: `${at}[${index}]`, message: wrong }]);
    seen.add(option);
  }
  return options;
}

function wrongOption(option: string): string | undefined {
  if (option === '') return 'must not be empty';
  return option.length > longestOption ? `must be at most ${longestOption} characters` : undefined;
}

function checkedTarget(
  type: FieldType,
  target: string | undefined,
  tableIds: ReadonlySet<string>,
  path: string,
): string | undefined {
  const at = within(path, 'targetTableId');
  if (type !== 'relation') {
    return target === undefined
      ? undefined
      : refuseInput([{ path: at, message: `is only allowed for relation, and this field is of type ${type}` }]);
  }
  if (target === undefined) {
    return refuseInput([
      { path: at, message: 'is required for the type relation: the id of a table of the same base' },
    ]);
  }
  return tableIds.has(target)
    ? target
    : refuseInput([{ path: at, message: 'must be the id of a table of the same base' }]);
}

const within = (path: string, member: string) => (path === '' ? member : `${path}.${member}`);
