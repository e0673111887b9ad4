import type { Where } from '../../../../kernel/record/projection.js';
import type { Narrowing, Query } from '../../../../ports/read-store.port.js';
import { boundValue } from '../fields.js';
import type { Statements } from '../statements.js';
import type { BuildTable } from '../tables/build-tables.js';
import { columnsAlong, columnsIn, type SortColumns } from '../tables/columns.js';
import { holding, type Listed, ownOf } from '../tables/part-indexes.js';
import { type Lookup, lookupsOf } from './index-lookups.js';
import { joined, type SqlCondition } from './where.js';

export interface AccessPath extends SqlCondition {
  readonly from: string;
  readonly columns: SortColumns;
}

export interface Sizes {
  /** Maximum number of documents that are read and sorted for one page. */
  readonly few: number;
  /** Up to this number, reading documents one by one is faster than scanning a table of a million. */
  readonly many: number;
}

const usual: Sizes = { few: 10_000, many: 250_000 };

/**
 * Chooses how a query finds its documents, by the number of index entries. SQLite cannot know this number, because it
 * depends on bound values.
 */
export class AccessPaths {
  constructor(
    private readonly statements: Statements,
    private readonly sizes: Sizes = usual,
  ) {}

  toList(room: BuildTable, query: Query): AccessPath {
    const { entries, indexes } = room;
    if (indexes.scopes.length === 0) return plain(room);
    const holders = holding(indexes, (name) => ownOf(query.where, name));
    const lookups = lookupsOf(query.filter, holders);
    const shortest = this.shortest(entries, lookups, this.sizes.few);
    if (shortest !== undefined) return through(room, shortest);
    return along(room, query, holders, lookups) ?? plain(room);
  }

  toFew(room: BuildTable, { where, filter }: Query, most: number): AccessPath | undefined {
    const { entries, indexes } = room;
    if (indexes.scopes.length === 0) return undefined;
    const holders = holding(indexes, (name) => ownOf(where, name));
    const shortest = this.shortest(entries, lookupsOf(filter, holders), most);
    return shortest && through(room, shortest);
  }

  toAll(room: BuildTable, where: Where, { filter }: Narrowing): AccessPath {
    const { entries, indexes } = room;
    if (indexes.scopes.length === 0) return plain(room);
    const holders = holding(indexes, (name) => ownOf(where, name));
    const shortest = this.shortest(entries, lookupsOf(filter, holders), this.sizes.many);
    return shortest === undefined ? plain(room) : through(room, shortest);
  }

  /**
   * Returns an index range that leads to exactly the documents of the query, so that they can be counted without being
   * read.
   */
  toCount(room: BuildTable, where: Where, { filter, search }: Narrowing): Lookup | undefined {
    if (search !== undefined || filter === undefined || !('field' in filter)) return undefined;
    const scopes = room.indexes.scopes.filter((names) => isWhole(names, where));
    const holders = holding({ ...room.indexes, scopes }, (name) => ownOf(where, name));
    const [lookup] = lookupsOf(filter, holders);
    return lookup !== undefined && this.isOfWorkspace(room, lookup, where) ? lookup : undefined;
  }

  /** All entries of an index are of one workspace, so checking the first entry is enough. */
  private isOfWorkspace({ entries, table, fields }: BuildTable, { list }: Lookup, where: Where): boolean {
    const first = `SELECT found FROM ${entries} WHERE list = ${boundValue} LIMIT 1`;
    const one = `SELECT ${fields('workspaceId').value} AS workspace FROM ${table} WHERE id = (${first})`;
    const workspaceId = ownOf(where, 'workspaceId');
    return workspaceId === undefined || this.statements.prepared(one).get(String(list))?.['workspace'] === workspaceId;
  }

  private shortest(entries: string, lookups: readonly Lookup[], most: number): Lookup | undefined {
    let best: { readonly lookup: Lookup; readonly count: number } | undefined;
    for (const lookup of lookups) {
      const { sql, values } = entriesCondition(lookup);
      const count = `SELECT count(*) AS n FROM (SELECT 1 FROM ${entries} WHERE ${sql} LIMIT ?)`;
      const n = Number(this.statements.prepared(count).get(...values, best?.count ?? most)?.['n']);
      if (n < (best?.count ?? most)) best = { lookup, count: n };
    }
    return best?.lookup;
  }
}

const isWhole = (names: readonly string[], where: Where) =>
  Object.keys(where).every((name) => name === 'workspaceId' || names.includes(name));

export const entriesCondition = ({ list, condition }: Pick<Lookup, 'list' | 'condition'>): SqlCondition =>
  joined([{ sql: `list = ${boundValue}`, values: [String(list)] }, condition]);

const plain = ({ table, fields }: BuildTable): AccessPath => ({
  from: table,
  sql: 'TRUE',
  values: [],
  columns: columnsIn(fields),
});

/** SQLite evaluates a CROSS JOIN from left to right, so it starts from the index entries. */
const joinedWith = (found: string, table: string) => `${found} CROSS JOIN ${table} ON id = found`;

function through({ entries, table, fields }: BuildTable, lookup: Lookup): AccessPath {
  const columns = columnsIn(fields);
  const { sql, values } = entriesCondition(lookup);
  if (!lookup.repeats) return { from: joinedWith(entries, table), sql, values, columns };
  const once = `(SELECT DISTINCT found FROM ${entries} WHERE ${sql})`;
  return { from: joinedWith(once, table), sql: 'TRUE', values, columns };
}

/** Follows an index in the requested order, so that the query ends when the page is full. */
function along(
  { entries, table, fields }: BuildTable,
  query: Query,
  holders: readonly Listed[],
  lookups: readonly Lookup[],
): AccessPath | undefined {
  const [first] = query.sort ?? [];
  if (query.missing !== 'last' || first === undefined) return undefined;
  const holder = holders.find(({ field }) => field === first[0]);
  // The index stores booleans as blobs, with which the boolean in `after` cannot be compared. So a page cannot continue
  // after a boolean.
  if (holder === undefined || typeof query.after?.[0] === 'boolean') return undefined;
  const bounds = lookups.filter(({ list }) => list === holder.values).map(({ condition }) => condition);
  const condition = entriesCondition({
    list: holder.values,
    condition: joined([{ sql: 'TRUE', values: [] }, ...bounds]),
  });
  return { from: joinedWith(entries, table), ...condition, columns: columnsAlong(holder.field, fields) };
}
