import { type RuledField, type RuledTable, valuePath } from './ruled-table.js';

/** Maximum number of fields in a path: three relations and a user field. */
export const deepestPath = 4;

/** One step of a relationship: a relation field, and the table to which it refers. */
export interface Hop {
  readonly field: string;
  readonly tableId: string;
}

/** The way from a row through relation fields to the `user` field that must contain the caller. */
export interface RelationshipReach {
  readonly hops: readonly Hop[];
  readonly userField: string;
}

/**
 * Finds the fields of a path such as `project.owner`: the relation field `project`, and the user field `owner` of the
 * table to which it refers. Returns undefined if there is no such path or it is too long. Field names may contain dots,
 * so also returns undefined if the path has more than one meaning.
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
