import { engineRefusals } from '../../engine/refusals/engine.refusals.js';
import { type Refuse, refusalsOf, refusing } from '../../kernel/refusals/refusal.js';
import { eachCall, invalid, refusal } from '../../kernel/refusals/refusal-entry.js';

export const basesRefusals = {
  'base-linked': refusal(
    'conflict',
    () => 'This is the base of a project and is deleted with it; deleteProject does that. Nothing was changed.',
  ),
  'table-not-found': refusal(
    'not-found',
    () => 'There is no such table in this workspace; listTables lists the tables of a base.',
  ),
  'table-name-taken': refusal(
    'conflict',
    (about: { name: string }) =>
      `The base has a table named '${about.name}' already; choose another name, or change that one.`,
  ),
  'too-many-tables': refusal(
    'conflict',
    (about: { most: number }) => `The base has ${about.most} tables, which is the limit; delete one first.`,
  ),
  'field-not-found': refusal(
    'not-found',
    () => 'The table has no field with this id; `fields` lists the existing fields, and so does getTable.',
  ),
  'field-name-taken': refusal(
    'conflict',
    (about: { name: string }) => `Two fields of the table would be named '${about.name}'; choose another name.`,
  ),
  'too-many-fields': refusal(
    'conflict',
    (about: { most: number }) => `The table has ${about.most} fields, which is the limit; remove one first.`,
  ),
  'table-too-large': refusal(
    'too-large',
    (about: { megabytes: number }) =>
      `The fields of the table, their options and the access rules are more than ${about.megabytes} MB together; make them shorter.`,
  ),
  'values-not-unique': refusal(
    'conflict',
    (about: { field: string; count: number }) =>
      `${about.count} rows have the same value in the field '${about.field}', so it cannot be unique; change or delete them first. Nothing was changed.`,
  ),
  'unknown-field': invalid(
    eachCall,
    (about: { names: string }) =>
      `The table has no field named ${about.names}; \`fields\` lists the existing fields. Nothing was changed.`,
  ),
  'row-too-large': refusal(
    'too-large',
    (about: { kilobytes: number }) =>
      `The values of the row are more than ${about.kilobytes} KB together; send less. Nothing was changed.`,
  ),
  'row-not-found': refusal('not-found', () => 'The table has no such row; listRows lists its rows.'),
  'row-erased': refusal(
    'conflict',
    () => 'The row was permanently erased, including its history, and cannot be restored.',
  ),
  'row-not-there-then': refusal(
    'conflict',
    () =>
      'The row did not exist at that time; deleteRow removes it, and getHistory shows its changes. Nothing was changed.',
  ),
  'table-deleted': refusal(
    'conflict',
    () => 'The table was permanently deleted and its rows were erased; they cannot be restored.',
  ),
  'row-changed-since': refusal(
    'conflict',
    () =>
      'The row has changed since the seenUpdatedAt that was sent, or while the call was running; read it again before you repeat the call. Nothing was changed.',
  ),
  'row-value-required': invalid(
    eachCall,
    (about: { field: string }) => `The field '${about.field}' is required: send a value for it. Nothing was changed.`,
  ),
  'row-value-taken': refusal(
    'conflict',
    (about: { field: string }) =>
      `The field '${about.field}' is unique, and another row has this value; send another one. Nothing was changed.`,
  ),
  'several-rows': refusal(
    'conflict',
    () => 'Several rows of the table have these values; send a match that fits at most one row. Nothing was changed.',
  ),
  'row-not-allowed': refusal(
    'forbidden',
    (about: { right: string }) => `The access rules of the table do not let this user ${about.right} this row.`,
  ),
  'field-not-writable': refusal(
    'forbidden',
    (about: { field: string }) =>
      `The access rules of the field '${about.field}' do not let this user write it; leave it out. Nothing was changed.`,
  ),
  'field-not-readable': refusal(
    'forbidden',
    (about: { field: string }) =>
      `The access rules of the field '${about.field}' hide it from this user, at least in some rows: sort and report by other fields.`,
  ),
  'cursor-of-another-list': invalid(
    'cursor',
    () =>
      'The cursor belongs to another table or another order; send the nextCursor of this list, or no cursor to start from the beginning.',
  ),
  'match-empty': invalid(
    'match',
    () => 'match must contain at least one field; send the values that identify the row.',
  ),
  'row-named-twice': invalid(
    eachCall,
    (about: { id: string }) => `The row ${about.id} is named twice; send each row once. Nothing was changed.`,
  ),
  'table-full': refusal(
    'conflict',
    (about: { most: number }) =>
      `The table has ${about.most.toLocaleString('en')} rows, which is the limit; delete some first. Nothing was changed.`,
  ),
  'base-not-found': refusal(
    'not-found',
    () => 'There is no such base in this workspace; listProjects shows the linkedBaseId of every site.',
  ),
};

const known = { ...engineRefusals, ...basesRefusals };
export const refusalOf = refusalsOf(known);
export const refuse: Refuse<typeof known> = refusing(known);
