import { isDeepStrictEqual } from 'node:util';
import type { Known } from '../../../kernel/condition/check-condition.js';
import { differing } from '../../../kernel/record/differing.js';
import { refuse } from '../bases.refusals.js';
import {
  checkedTableRules,
  type FieldRulesInput,
  fieldRename,
  rulesRenamed,
  type TableRulesInput,
} from './access-rules.js';
import { changedField, type FieldChange, type FieldInput, mostFields, mustHaveOwnNames, newField } from './fields.js';
import type { Table, TableEvent, TableFacts, TableField } from './table.record.js';

/** Maximum size of a table's fields and rules, in bytes of JSON. */
const largestDefinition = 2 * 1024 * 1024;

export interface NewField {
  readonly id: string;
  readonly field: FieldInput;
}

export interface NewTable extends Omit<TableFacts, 'fields' | 'accessRules'> {
  readonly fields: readonly NewField[];
}

/**
 * @param tableIds ids of the tables of the base
 * @param known the policies, roles and functions to which conditions may refer
 * @throws Refusal invalid-input, field-name-taken, table-too-large
 */
export function createTable(
  { fields: sent, ...facts }: NewTable,
  tableIds: ReadonlySet<string>,
  known: Known,
): readonly TableEvent[] {
  const plain = sent.map(({ id, field }, index) => newField(id, field, tableIds, `fields[${index}]`));
  mustHaveOwnNames(plain);
  const fields = plain.map((field, index) => {
    const rules = checkedTableRules(sent[index]?.field.accessRules ?? {}, plain, `fields[${index}].accessRules`, known);
    return { ...field, accessRules: rules };
  });
  mustBeSmallEnough(fields);
  return [{ type: 'TableCreated', data: { ...facts, fields, accessRules: {} } }];
}

/** An empty text removes the description. */
export function updateTable(
  table: Table,
  { name, description }: { readonly name?: string; readonly description?: string },
): readonly TableEvent[] {
  const described = description === undefined ? undefined : description || null;
  const data = differing<Pick<TableFacts, 'name' | 'description'>>(table, { name, description: described });
  return data === undefined ? [] : [{ type: 'TableUpdated', data }];
}

export const deleteTable = ({ baseId, projectId }: Table): readonly TableEvent[] => [
  { type: 'TableDeleted', data: { baseId, projectId } },
];

/** @throws Refusal invalid-input, field-name-taken, too-many-fields, table-too-large */
export function addField(
  table: Table,
  { id, field: input }: NewField,
  tableIds: ReadonlySet<string>,
  known: Known,
): readonly TableEvent[] {
  if (table.fields.length >= mostFields) refuse('too-many-fields', { most: mostFields });
  const plain = newField(id, input, tableIds, 'field');
  const fields = [...table.fields, plain];
  mustHaveOwnNames(fields);
  const accessRules = checkedTableRules(input.accessRules ?? {}, fields, 'field.accessRules', known);
  const field = { ...plain, accessRules };
  mustBeSmallEnough([...table.fields, field], table.accessRules);
  return [{ type: 'TableFieldAdded', data: { field } }];
}

/**
 * If the name changes, the rules that use the old name change too.
 * @throws Refusal field-not-found, invalid-input, field-name-taken, table-too-large
 */
export function updateField(
  table: Table,
  fieldId: string,
  { accessRules, ...change }: FieldChange & { readonly accessRules?: FieldRulesInput },
  known: Known,
): readonly TableEvent[] {
  const before = tableFieldOf(table, fieldId);
  const plain = changedField(before, change);
  const rename = fieldRename(table, before.name, plain.name);
  const fields = table.fields.map((one): TableField => {
    const changed = one.id === fieldId ? plain : one;
    const rules = rulesRenamed(changed.accessRules, rename);
    return rules === changed.accessRules ? changed : { ...changed, accessRules: rules };
  });
  mustHaveOwnNames(fields);
  const after = fields.map((one) =>
    one.id === fieldId && accessRules !== undefined
      ? { ...one, accessRules: checkedTableRules(accessRules, fields, 'accessRules', known) }
      : one,
  );
  const rules = rulesRenamed(table.accessRules, rename);
  mustBeSmallEnough(after, rules);
  return [
    ...after.flatMap((field, index): TableEvent[] =>
      isDeepStrictEqual(field, table.fields[index]) ? [] : [{ type: 'TableFieldUpdated', data: { field } }],
    ),
    ...(rules === table.accessRules ? [] : [{ type: 'TableAccessRulesSet', data: { accessRules: rules } } as const]),
  ];
}

/**
 * The values remain, encrypted, in the history of the rows.
 * @throws Refusal field-not-found
 */
export function removeField(table: Table, fieldId: string): readonly TableEvent[] {
  const { id } = tableFieldOf(table, fieldId);
  return [{ type: 'TableFieldRemoved', data: { fieldId: id } }];
}

/**
 * Rules that are not in the input are removed.
 * @throws Refusal invalid-input, table-too-large
 */
export function setTableAccessRules(table: Table, sent: TableRulesInput, known: Known): readonly TableEvent[] {
  const accessRules = checkedTableRules(sent, table.fields, 'accessRules', known);
  if (isDeepStrictEqual(accessRules, table.accessRules)) return [];
  mustBeSmallEnough(table.fields, accessRules);
  return [{ type: 'TableAccessRulesSet', data: { accessRules } }];
}

/** @throws Refusal field-not-found */
export function tableFieldOf({ fields }: Table, fieldId: string): TableField {
  return fields.find(({ id }) => id === fieldId) ?? refuse('field-not-found', undefined, namesOf(fields));
}

const namesOf = (fields: readonly TableField[]) => ({ fields: fields.map(({ id, name }) => ({ id, name })) });

function mustBeSmallEnough(fields: readonly TableField[], accessRules: object = {}): void {
  if (Buffer.byteLength(JSON.stringify([fields, accessRules])) <= largestDefinition) return;
  refuse('table-too-large', { megabytes: largestDefinition / 1024 / 1024 });
}
