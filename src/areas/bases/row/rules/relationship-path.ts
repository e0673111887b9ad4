import { type RuledField, type RuledTable, valuePath } from './ruled-table.js';

/** Maximum number of fields in one path: three relations and the user field at its end. */
export const deepestPath = 4;

/** A step of a relationship: a relation field, and the table of its rows. */
export interface Hop {
  readonly field: string;
  readonly tableId: string;
}

/** A path from a row over relation fields to the `user` field that must hold the caller. */
export interface RelationshipReach {
  readonly hops: readonly Hop[];
  readonly userField: string;
}

/**
 * Finds the fields that a relationship rule follows: `project.owner` leads over the relation field `project` to the
 * user field `owner` of its table. Returns undefined if there is no such path, or if it is too long or ambiguous,
 * because names may contain dots.
 */
export function pathTo(
  path: string,
  table: RuledTable,
  tables: ReadonlyMap<string, RuledTable>,
): RelationshipReach | undefined {
  const [only, ...others] = pathsTo(path, table, tables, deepestPath);
  return others.length === 0 ? only : undefined;
}

function pathsTo(
  path: string,
  table: RuledTable,
  tables: ReadonlyMap<string, RuledTable>,
  left: number,
): readonly RelationshipReach[] {
  if (left === 0) return [];
  return table.fields.flatMap((field) => {
    if (field.name === path && field.type === 'user') return [{ hops: [], userField: valuePath(field) }];
    const target = relatedTable(field, tables);
    if (target === undefined || !path.startsWith(`${field.name}.`)) return [];
    const hop: Hop = { field: valuePath(field), tableId: target.id };
    return pathsTo(path.slice(field.name.length + 1), target, tables, left - 1).map(({ hops, userField }) => ({
      hops: [hop, ...hops],
      userField,
    }));
  });
}

function relatedTable(field: RuledField, tables: ReadonlyMap<string, RuledTable>): RuledTable | undefined {
  return field.type === 'relation' && field.targetTableId !== undefined ? tables.get(field.targetTableId) : undefined;
}
