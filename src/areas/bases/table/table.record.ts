import type { Condition } from '../../../kernel/condition/condition.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import { refuse } from '../bases.refusals.js';

export const fieldTypes = [
  'text',
  'longText',
  'number',
  'integer',
  'boolean',
  'date',
  'dateTime',
  'email',
  'url',
  'phone',
  'select',
  'multiSelect',
  'json',
  'file',
  'relation',
  'user',
] as const;
export type FieldType = (typeof fieldTypes)[number];

/** Who may read and write a field. Left out: whoever the rules of the table let. */
export interface FieldRules {
  readonly read?: Condition;
  readonly write?: Condition;
}

export interface Field {
  /** `fld_…`. Rows keep their values under it, so that a field can be renamed without touching a row. */
  readonly id: string;
  /** Unique in the table; case counts. */
  readonly name: string;
  readonly type: FieldType;
  readonly required: boolean;
  readonly unique: boolean;
  /** There were rows before it was unique: their values are found by looking them up. Left out: it was from the start. */
  readonly becameUnique?: true;
  readonly indexed: boolean;
  /** Of select and multiSelect. */
  readonly options?: readonly string[];
  /** Of relation: a table of the same base. It may be gone by now. */
  readonly targetTableId?: string;
  readonly accessRules: FieldRules;
}

/** Conditions name fields by their names, as policies do, which stand outside every table. Left out or empty: members only. */
export interface TableRules {
  readonly read?: Condition;
  readonly create?: Condition;
  readonly update?: Condition;
  readonly delete?: Condition;
}

export interface TableFacts {
  readonly baseId: string;
  /** The project of the base; null: the base is the workspace's alone. */
  readonly projectId: string | null;
  /** Unique in the base; case counts. */
  readonly name: string;
  readonly description: string | null;
  readonly fields: readonly Field[];
  readonly accessRules: TableRules;
}

export type TableEvent =
  | DomainEvent<'TableCreated', TableFacts>
  | DomainEvent<'TableUpdated', Partial<Pick<TableFacts, 'name' | 'description'>>>
  | DomainEvent<'TableFieldAdded', { readonly field: Field }>
  | DomainEvent<'TableFieldUpdated', { readonly field: Field }>
  | DomainEvent<'TableFieldRemoved', { readonly fieldId: string }>
  | DomainEvent<'TableAccessRulesSet', Pick<TableFacts, 'accessRules'>>
  | DomainEvent<'TableDeleted', { readonly baseId: string; readonly projectId: string | null }>;

export interface Table extends Document, TableFacts {
  readonly createdAt: string;
  readonly updatedAt: string;
}

export const tables = plainRecord<Table, TableEvent>()({
  category: 'table',
  auditedFor: 'site.read',
  shownBy: 'bases/getTable',
  of: { project: 'projectId' },
  undoing: {
    sets: ['bases/updateTable', 'bases/setTableAccessRules'],
    gone: 'Its rows were deleted with it; create a new table.',
  },
  missing: () => refuse('table-not-found'),
  collection: {
    name: 'tables',
    version: 1,
    indexes: [{ fields: ['workspaceId', 'baseId', 'createdAt'] }, { fields: ['workspaceId', 'projectId'] }],
  },
  updatedAt: true,
  begins: { TableCreated: {} },
  merges: ['TableUpdated', 'TableAccessRulesSet'],
  ends: ['TableDeleted'],
  also: {
    TableFieldAdded: ({ fields }, { data: { field } }) => ({ fields: [...fields, field] }),
    TableFieldUpdated: ({ fields }, { data: { field } }) => ({
      fields: fields.map((one) => (one.id === field.id ? updated(one, field) : one)),
    }),
    TableFieldRemoved: ({ fields }, { data: { fieldId } }) => ({
      fields: fields.filter(({ id }) => id !== fieldId),
    }),
  },
});

function updated(before: Field, after: Field): Field {
  const became = after.unique && (!before.unique || before.becameUnique === true);
  return became ? { ...after, becameUnique: true } : after;
}
