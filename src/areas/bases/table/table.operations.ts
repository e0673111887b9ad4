import { Operation, success } from '../../../engine/operation/operation.js';
import { opensAccess } from '../../../kernel/condition/opens-access.js';
import { Field } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { wrongName } from './field-names.api.js';
import {
  FieldRulesShape,
  fieldNameField,
  fieldsField,
  NewFieldShape,
  optionsField,
  TableRecord,
  TableRulesShape,
} from './table-shapes.api.js';

const source = 'Supplementary, bases';
const group = 'tables';
const asks = { source, group, tools: 'granted', effect: 'query', permission: 'site.read' } as const;
const changes = { source, group, tools: 'granted', effect: 'command', permission: 'site.edit' } as const;
const answers = { record: TableRecord };
const name = { type: 'any', schema: { type: 'string', minLength: 1, maxLength: 64 }, wrong: wrongName } as const;
const description = { type: 'string', maxLength: 2_000, optional: true } as const;
const flag = { type: 'boolean', optional: true } as const;

@Operation('bases/listTables', {
  ...asks,
  summary: 'Lists the tables of a base, the oldest first.',
  answers: { list: TableRecord },
})
export class ListTables {
  @Field(idField) baseId!: string;
}

@Operation('bases/getTable', { ...asks, summary: 'Returns a table with its fields and access rules.', answers })
export class GetTable {
  @Field(idField) id!: string;
}

@Operation('bases/createTable', { ...changes, summary: 'Creates a table in a base.', answers, risky: opensAccess })
export class CreateTable {
  @Field(idField) baseId!: string;
  @Field({ ...name, description: 'Unique in the base; case counts.' }) name!: string;
  @Field(description) description?: string;
  @Field(fieldsField) fields?: readonly NewFieldShape[];
}

@Operation('bases/updateTable', { ...changes, summary: 'Updates a table.', answers })
export class UpdateTable {
  @Field(idField) id!: string;
  @Field({ ...name, optional: true }) name?: string;
  @Field(description) description?: string;
}

@Operation('bases/deleteTable', {
  ...changes,
  summary: 'Deletes a table and erases its rows, for good: nothing brings them back.',
  takesAway: true,
  outside: ['destroys rows for good'],
  answers: success,
})
export class DeleteTable {
  @Field(idField) id!: string;
}

@Operation('bases/addField', {
  ...changes,
  summary: 'Adds a field to a table; rows have no value of it yet.',
  answers,
  risky: opensAccess,
})
export class AddField {
  @Field(idField) tableId!: string;
  @Field({ type: 'object', shape: () => NewFieldShape }) field!: NewFieldShape;
}

@Operation('bases/updateField', {
  ...changes,
  summary: 'Updates a field; its type stays. Rules of the table that name it follow a new name.',
  answers,
  risky: opensAccess,
})
export class UpdateField {
  @Field(idField) tableId!: string;
  @Field(idField) fieldId!: string;
  @Field({ ...fieldNameField, optional: true }) name?: string;
  @Field(flag) required?: boolean;
  @Field({ ...flag, description: 'Refused while two rows have the same value.' }) unique?: boolean;
  @Field(flag) indexed?: boolean;
  @Field(optionsField) options?: readonly string[];
  @Field({
    type: 'object',
    shape: () => FieldRulesShape,
    optional: true,
    description: 'In the place of the present ones, all of them.',
  })
  accessRules?: FieldRulesShape;
}

@Operation('bases/removeField', {
  ...changes,
  summary: 'Removes a field from a table, and its values from every row that is shown.',
  takesAway: true,
  answers,
})
export class RemoveField {
  @Field(idField) tableId!: string;
  @Field(idField) fieldId!: string;
}

@Operation('bases/setTableAccessRules', {
  ...changes,
  summary: 'Says who may read, create, update and delete rows of a table; what is left out is for members alone.',
  answers,
  risky: opensAccess,
})
export class SetTableAccessRules {
  @Field(idField) tableId!: string;
  @Field({ type: 'object', shape: () => TableRulesShape }) accessRules!: TableRulesShape;
}
