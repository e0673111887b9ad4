import { refuse } from '../bases.refusals.js';
import { type Base, type BaseEvent, bases } from './base.record.js';

export const mostTables = 100;

/**
 * In milliseconds. If a table is not recorded within this time after its name was reserved, the process that reserved
 * the name has died.
 */
const settlesWithinMs = 60_000;

/**
 * Returns the ids of tables that probably do not exist although their names are reserved. Check each in the log,
 * because the read model might not contain a new table yet.
 * @param known ids of the tables in the read model
 */
export function unknownTables(
  { tables }: Pick<Base, 'tables'>,
  known: ReadonlySet<string>,
  now: number,
): readonly string[] {
  return Object.entries(tables).flatMap(([id, { at }]) =>
    !known.has(id) && now - Date.parse(at) > settlesWithinMs ? [id] : [],
  );
}

/**
 * Adds a table, and releases the names of the `unused` tables.
 * @throws Refusal base-not-found, table-name-taken, too-many-tables
 */
export function addTable(
  base: Base | undefined,
  { tableId, name, unused }: { readonly tableId: string; readonly name: string; readonly unused: readonly string[] },
): readonly BaseEvent[] {
  const { tables } = base ?? bases.missing();
  if (Object.hasOwn(tables, tableId)) return [];
  const removed = unused.filter((id) => Object.hasOwn(tables, id));
  const others = Object.entries(tables).filter(([id]) => !removed.includes(id));
  if (others.some(([, table]) => table.name === name)) refuse('table-name-taken', { name });
  if (others.length >= mostTables) refuse('too-many-tables', { most: mostTables });
  return [
    ...(removed.length === 0 ? [] : [{ type: 'BaseTablesRemoved', data: { tableIds: removed } } as const]),
    { type: 'BaseTableAdded', data: { tableId, name } },
  ];
}

/** @throws Refusal base-not-found, table-name-taken */
export function renameTable(base: Base | undefined, tableId: string, name: string): readonly BaseEvent[] {
  const { tables } = base ?? bases.missing();
  if (tables[tableId]?.name === name) return [];
  const isTaken = Object.entries(tables).some(([id, table]) => id !== tableId && table.name === name);
  if (isTaken) refuse('table-name-taken', { name });
  return [{ type: 'BaseTableRenamed', data: { tableId, name } }];
}

export function removeTable(base: Base | undefined, tableId: string): readonly BaseEvent[] {
  if (base === undefined || !Object.hasOwn(base.tables, tableId)) return [];
  return [{ type: 'BaseTablesRemoved', data: { tableIds: [tableId] } }];
}
