import type { DomainEvent } from '../../../kernel/event/event.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import { refuse } from '../../../kernel/refusals/refusal.js';

export interface BaseFacts {
  readonly name: string;
  readonly description: string | null;
  /** The project that reads the base directly; null for a base of the workspace alone. */
  readonly projectId: string | null;
}

interface TableName {
  readonly tableId: string;
  readonly name: string;
}

export type BaseEvent =
  | DomainEvent<'BaseCreated', BaseFacts>
  | DomainEvent<'BaseUpdated', Partial<Pick<BaseFacts, 'name' | 'description'>>>
  | DomainEvent<'BaseTableAdded', TableName>
  | DomainEvent<'BaseTableRenamed', TableName>
  | DomainEvent<'BaseTablesRemoved', { readonly tableIds: readonly string[] }>
  | DomainEvent<'BaseDeleted', object>;

/** The base knows the names of its tables, so that two writers who want one name, or the last table, conflict here. */
export interface Base extends Document, BaseFacts {
  /** By table id. `at`: ISO 8601, when the table was added. */
  readonly tables: Readonly<Record<string, { readonly name: string; readonly at: string }>>;
  readonly createdAt: string;
}

export const bases = plainRecord<Base, BaseEvent>()({
  category: 'base',
  auditedFor: 'site.read',
  shownBy: 'bases/getBase',
  limited: { projectId: null },
  within: 'project',
  of: { project: 'projectId' },
  undoing: { sets: ['bases/updateBase'], gone: 'Its tables and rows were deleted with it; create a new base.' },
  missing: () => refuse('base-not-found'),
  collection: { name: 'bases', version: 2, indexes: [{ fields: ['workspaceId', 'createdAt'] }] },
  begins: { BaseCreated: { tables: {} } },
  merges: ['BaseUpdated'],
  ends: ['BaseDeleted'],
  also: {
    BaseTableAdded: ({ tables }, { data: { tableId, name }, metadata: { at } }) => ({
      tables: { ...tables, [tableId]: { name, at } },
    }),
    BaseTableRenamed: ({ tables }, { data: { tableId, name }, metadata: { at } }) => ({
      tables: { ...tables, [tableId]: { at, ...tables[tableId], name } },
    }),
    BaseTablesRemoved: ({ tables }, { data: { tableIds } }) => ({
      tables: Object.fromEntries(Object.entries(tables).filter(([id]) => !tableIds.includes(id))),
    }),
  },
});
