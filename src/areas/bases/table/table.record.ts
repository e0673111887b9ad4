import type { Condition } from '../../../kernel/condition/condition.js';
import type { Doors } from '../../../kernel/condition/opens-access.js';
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

/** An omitted condition is met by everyone with access to the row. */
export interface FieldRules {
  readonly read?: Condition;
  readonly write?: Condition;
}

export interface TableField {
  /** Rows store their values under this id, so that renaming a field does not change them. */
  readonly id: string;
  /** Unique within the table; case-sensitive. */
  readonly name: string;
  readonly type: FieldType;
  readonly required: boolean;
  readonly unique: boolean;
  /**
   * Set if the field became unique after it was created. Existing values are then not reserved, so writes search the
   * rows for duplicates.
   */
  readonly becameUnique?: true;
  readonly indexed: boolean;
  readonly options?: readonly string[];
  /** Only set for the type relation: a table of the same base, even if that table has been deleted since. */
  readonly targetTableId?: string;
  readonly accessRules: FieldRules;
}

/** Conditions refer to fields by name. If a condition is omitted or empty, only members have access. */
export interface TableRules {
  readonly read?: Condition;
  readonly create?: Condition;
  readonly update?: Condition;
  readonly delete?: Condition;
}

export interface TableFacts {
  readonly baseId: string;
  /** `null` if the base belongs to the workspace alone. */
  readonly projectId: string | null;
  /** Unique within the base; case-sensitive. */
  readonly name: string;
  readonly description: string | null;
  readonly fields: readonly TableField[];
  readonly accessRules: TableRules;
}

export type TableEvent =
  | DomainEvent<'TableCreated', TableFacts>
  | DomainEvent<'TableUpdated', Partial<Pick<TableFacts, 'name' | 'description'>>>
  | DomainEvent<'TableFieldAdded', { readonly field: TableField }>
  | DomainEvent<'TableFieldUpdated', { readonly field: TableField }>
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
  doors: ({ fields }) => [
    ({ accessRules }) => accessRules.read,
    ({ accessRules }) => accessRules.create,
    ({ accessRules }) => accessRules.update,
    ({ accessRules }) => accessRules.delete,
    ...fields.flatMap(({ id }) => fieldDoors(id)),
  ],
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

/** The rules of the table decide where the field has none. */
function fieldDoors(id: string): ReturnType<Doors<Table>> {
  const rulesOf = ({ fields }: Table) => fields.find((field) => field.id === id)?.accessRules;
  return [
    (table) => rulesOf(table)?.read ?? table.accessRules.read,
    (table) => rulesOf(table)?.write ?? table.accessRules.create,
    (table) => rulesOf(table)?.write ?? table.accessRules.update,
  ];
}

function updated(before: TableField, after: TableField): TableField {
  const became = after.unique && (!before.unique || before.becameUnique === true);
  return became ? { ...after, becameUnique: true } : after;
}
