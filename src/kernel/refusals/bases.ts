import { eachCall, invalid, refusal } from './refusal-entry.js';

/** What bases, tables and rows refuse. */
export const basesRefusals = {
  'base-linked': refusal(
    'conflict',
    () => 'This is the base of a project and is deleted with it; deleteProject does that. Nothing was changed.',
  ),
  'table-not-found': refusal(
    'not-found',
    () => 'There is no such table in this workspace; listTables shows those of a base.',
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
    () => 'The table has no field with this id; `fields` lists those it has, and getTable shows them.',
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
      `The table has no field named ${about.names}; \`fields\` lists those it has. Nothing was changed.`,
  ),
  'row-too-large': refusal(
    'too-large',
    (about: { kilobytes: number }) =>
      `The values of the row are more than ${about.kilobytes} KB together; send less. Nothing was changed.`,
  ),
} as const;
