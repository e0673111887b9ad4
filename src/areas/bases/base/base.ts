import { alongside, type RelatedChange } from '../../../engine/commands/related-changes.js';
import { refuse } from '../bases.refusals.js';
import { tables } from '../table/table.record.js';
import { type Base, type BaseEvent, bases } from './base.record.js';

/** @throws Refusal base-linked, if the base belongs to a project */
export function deleteBase(base: Base): readonly BaseEvent[] {
  if (base.projectId !== null) refuse('base-linked');
  return bases.deleted(base);
}

/** Deletes each table of the base. As after the deletion of a single table, the rows are then erased. */
export const deleteTablesOf = (base: Base): readonly RelatedChange[] =>
  Object.keys(base.tables).map((tableId) =>
    alongside({
      aggregate: tables,
      id: tableId,
      decide: (table) =>
        table === undefined
          ? []
          : [{ type: 'TableDeleted' as const, data: { baseId: base.id, projectId: table.projectId } }],
    }),
  );
