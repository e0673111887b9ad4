import type { DomainEvent } from '../../../kernel/event/event.js';
import { fieldOf, id, name, text } from '../../../kernel/noun/fields.js';
import { noun } from '../../../kernel/noun/noun.js';
import type { NounEvents, RecordOf } from '../../../kernel/noun/noun-types.js';
import { refuse } from '../bases.refusals.js';

/** Keyed by table id. `at` is when the table was added, in ISO 8601. */
type TableNames = Readonly<Record<string, { readonly name: string; readonly at: string }>>;

const fields = {
  name: name(),
  /** An empty text removes the description. */
  description: text({ maxLength: 2_000 })
    .nullable()
    .storedAs((sent) => sent || null),
  /** `null` if the base belongs to the workspace alone. */
  projectId: id()
    .nullable()
    .unsent()
    .fixed()
    .describe({ answer: 'The project that the base belongs to. null if it belongs to none.' }),
  /**
   * The names are stored in the base, so that two concurrent commands that use the same name, or that both create the
   * last table allowed, conflict on this record.
   */
  tables: fieldOf<TableNames>()({ type: 'object' }).folded({}),
};

const events = { created: 'BaseCreated', changed: 'BaseUpdated', deleted: 'BaseDeleted' } as const;

interface TableName {
  readonly tableId: string;
  readonly name: string;
}

export type BaseEvent =
  | NounEvents<typeof fields, typeof events>
  | DomainEvent<'BaseTableAdded', TableName>
  | DomainEvent<'BaseTableRenamed', TableName>
  | DomainEvent<'BaseTablesRemoved', { readonly tableIds: readonly string[] }>;

export interface Base extends RecordOf<typeof fields> {}

export const bases = noun<Base, BaseEvent>()({
  kind: 'base',
  is: 'base',
  fields,
  events,
  auditedFor: 'site.read',
  shownBy: 'bases/getBase',
  limited: { projectId: null },
  of: { project: 'projectId' },
  undoing: { sets: ['bases/updateBase'], gone: 'Its tables and rows were deleted with it; create a new base.' },
  missing: () => refuse('base-not-found'),
  collection: { name: 'bases', version: 2, indexes: [{ fields: ['workspaceId', 'createdAt'] }] },
  folds: {
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
