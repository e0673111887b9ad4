import type { Json } from '../../../../kernel/json/json.js';
import type { Kind } from '../../../../kernel/rows/row-filter.js';
import type { FieldType, Table, TableField } from '../../table/table.record.js';
import { type CheckedValue, checkedTextValue, checkedValue, storedForm } from './checked-value.js';
import { refuseUnknown } from './field-values.js';

export interface Column {
  readonly name: string;
  readonly type: FieldType;
  readonly path: string;
  readonly kind: Kind;
}

type FieldsOf = Pick<Table, 'fields'>;

const kinds: Readonly<Record<FieldType, Kind>> = {
  text: 'text',
  longText: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  date: 'text',
  dateTime: 'text',
  email: 'text',
  url: 'text',
  phone: 'text',
  select: 'text',
  multiSelect: 'list',
  json: 'json',
  file: 'text',
  relation: 'text',
  user: 'text',
};

const ofEveryRow: ReadonlyMap<string, FieldType> = new Map([
  ['id', 'text'],
  ['createdAt', 'dateTime'],
  ['updatedAt', 'dateTime'],
  ['createdBy', 'user'],
]);

export function columnNamed(table: FieldsOf, name: string): Column | undefined {
  const type = ofEveryRow.get(name);
  if (type !== undefined) return { name, type, path: name, kind: kinds[type] };
  const field = table.fields.find((one) => one.name === name);
  return field && columnOf(field);
}

/**
 * @param at path of the name in the input, for the error
 * @throws Refusal unknown-field
 */
export const requiredColumn = (table: FieldsOf, name: string, at: string): Column =>
  columnNamed(table, name) ?? refuseUnknown([name], table.fields, () => at);

export const columnOf = ({ id, name, type }: TableField): Column => ({
  name,
  type,
  path: `values.${id}`,
  kind: kinds[type],
});

export function columnOperand({ type, kind }: Column, value: Json): CheckedValue {
  switch (kind) {
    case 'number':
      return storedForm('number', value);
    case 'boolean':
      return storedForm('boolean', value);
    case 'json':
      return checkedValue({ type: 'json' }, value);
    case 'list':
      return checkedTextValue(value);
    case 'text':
      // An invalid option, email or id is accepted. It can match values that were stored before a change of the field.
      return type === 'date' || type === 'dateTime' ? storedForm(type, value) : checkedTextValue(value);
  }
}
