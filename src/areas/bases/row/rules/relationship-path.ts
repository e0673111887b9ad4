import { type RuledField, type RuledTable, valuePath } from './ruled-table.js';

export const deepestPath = 4;

export interface Hop {
  readonly field: string;
  readonly tableId: string;
}

export interface RelationshipReach {
  readonly hops: readonly Hop[];
  readonly userField: string;
}

/**
 * Finds the fields of a path such as `project.owner`. Returns undefined if there is no such path, if the path is too
 * long, or if the path has more than one meaning, because field names may contain dots.
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
