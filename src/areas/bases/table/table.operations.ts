import { alongside } from '../../../engine/commands/related-changes.js';
import { command, query } from '../../../engine/operation/bound-operation.js';
import { opensAccess, success } from '../../../engine/operation/operation.js';
import { recordCommand } from '../../../engine/records/record-command.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { typed } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { SiteKnown } from '../../access/judging/site-known.api.js';
import { bases } from '../base/base.record.js';
import { removeTable, renameTable } from '../base/base-tables.api.js';
import { FieldChanges } from './field-changes.js';
import { wrongTableName } from './field-names.api.js';
import { addField, deleteTable, removeField, setTableAccessRules, updateTable } from './table.js';
import { type Table, tables } from './table.record.js';
import { TableCreation } from './table-creation.js';
import {
  FieldRulesShape,
  fieldNameField,
  fieldsField,
  NewFieldShape,
  optionsField,
  TableRecord,
  TableRulesShape,
} from './table-shapes.api.js';
import { TableView } from './table-view.api.js';

const declared = { source: 'Supplementary, bases', group: 'tables', tools: 'granted' } as const;
const reads = { ...declared, permission: 'site.read', inject: [TableView] } as const;
const changes = { ...declared, permission: 'site.edit' } as const;
const answers = { record: TableRecord } as const;
const name = typed<string>()({
  type: 'any',
  schema: { type: 'string', minLength: 1, maxLength: 64 },
  wrong: wrongTableName,
});
const description = { type: 'string', maxLength: 2_000, optional: true } as const;
const flag = { type: 'boolean', optional: true } as const;

const baseOf = (table: Table | undefined) => (table ?? tables.missing()).baseId;

export const tableOperations = [
  query('bases/listTables', {
    ...reads,
    summary: 'Lists the tables of a base, oldest first.',
    answers: { list: TableRecord },
    input: { baseId: idField },
    handle: async ({ baseId }, call, view) => view.listed(call, baseId),
  }),
  query('bases/getTable', {
    ...reads,
    summary: 'Returns a table with its fields and access rules.',
    answers,
    input: { id: idField },
    handle: async ({ id }, call, view) => view.one(call, id),
  }),
  command('bases/createTable', {
    ...changes,
    summary: 'Creates a table in a base.',
    answers,
    risky: opensAccess,
    input: {
      baseId: idField,
      name: { ...name, description: 'Unique in the base. Case-sensitive.' },
      description,
      fields: fieldsField,
    },
    inject: [TableCreation, TableView],
    handle: async ({ baseId, name, description, fields = [] }, call, creation, view) =>
      view.viewOf(await creation.create(call, baseId, { name, description: description || null, fields })),
  }),
  recordCommand('bases/updateTable', {
    ...changes,
    summary: 'Updates a table.',
    answers,
    input: { id: idField, name: { ...name, optional: true }, description },
    record: tables,
    id: ({ id }) => id,
    inject: [TableView],
    prepare: async (_, __, view) => view,
    decide: (table, sent) => updateTable(table, sent),
    // The new name is reserved in the base, and refused if another table of the base has it.
    alongside: (table, { id, name }) =>
      name === undefined
        ? []
        : [alongside({ aggregate: bases, id: baseOf(table), decide: (base) => renameTable(base, id, name) })],
    answer: (after, view) => view.viewOf(after),
  }),
  recordCommand('bases/deleteTable', {
    ...changes,
    summary: 'Permanently deletes a table and erases its rows. Cannot be undone.',
    takesAway: true,
    outside: ['destroys rows for good'],
    answers: success,
    input: { id: idField },
    record: tables,
    id: ({ id }) => id,
    decide: deleteTable,
    alongside: (table, { id }) => [
      alongside({ aggregate: bases, id: baseOf(table), decide: (base) => removeTable(base, id) }),
    ],
  }),
  recordCommand('bases/addField', {
    ...changes,
    summary: 'Adds a field to a table. Existing rows have no value for it.',
    answers,
    risky: opensAccess,
    input: { tableId: idField, field: { type: 'object', shape: () => NewFieldShape } },
    record: tables,
    id: ({ tableId }) => tableId,
    inject: [TableView, SiteKnown, Reads],
    prepare: async ({ tableId }, call, view, site, read) => {
      const { baseId, projectId } = await read.one(call, tables, tableId);
      const known = await site.of(call.workspaceId, projectId);
      const ofBase = await read.find<Table>(call.workspaceId, 'tables', { where: { baseId } });
      return { view, known, tableIds: new Set(ofBase.map(({ id }) => id)), id: call.newId('fld') };
    },
    decide: (table, { field }, _, { id, tableIds, known }) => addField(table, { id, field }, tableIds, known),
    answer: (after, { view }) => view.viewOf(after),
  }),
  command('bases/updateField', {
    ...changes,
    summary:
      "Updates a field. Its type cannot be changed. If the field is renamed, the table's access rules are updated.",
    answers,
    risky: opensAccess,
    input: {
      tableId: idField,
      fieldId: idField,
      name: { ...fieldNameField, optional: true },
      required: flag,
      unique: { ...flag, description: 'Refused if two rows have the same value.' },
      indexed: flag,
      options: optionsField,
      accessRules: {
        type: 'object',
        shape: () => FieldRulesShape,
        optional: true,
        description: 'Replaces all access rules of the field.',
      },
    },
    inject: [FieldChanges],
    handle: async ({ tableId, fieldId, ...sent }, call, fields) => fields.update(call, tableId, fieldId, sent),
  }),
  recordCommand('bases/removeField', {
    ...changes,
    summary: 'Removes a field from a table. Rows no longer contain its values.',
    takesAway: true,
    answers,
    input: { tableId: idField, fieldId: idField },
    record: tables,
    id: ({ tableId }) => tableId,
    inject: [TableView],
    prepare: async (_, __, view) => view,
    decide: (table, { fieldId }) => removeField(table, fieldId),
    answer: (after, view) => view.viewOf(after),
  }),
  recordCommand('bases/setTableAccessRules', {
    ...changes,
    summary:
      'Sets who may read, create, update and delete rows of a table. If a rule is omitted, only members of the workspace have that access.',
    answers,
    risky: opensAccess,
    input: { tableId: idField, accessRules: { type: 'object', shape: () => TableRulesShape } },
    record: tables,
    id: ({ tableId }) => tableId,
    inject: [TableView, SiteKnown, Reads],
    prepare: async ({ tableId }, call, view, site, read) => {
      const { projectId } = await read.one(call, tables, tableId);
      return { view, known: await site.of(call.workspaceId, projectId) };
    },
    decide: (table, { accessRules }, _, { known }) => setTableAccessRules(table, accessRules, known),
    answer: (after, { view }) => view.viewOf(after),
  }),
];
