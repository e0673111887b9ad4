import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import type { Sort } from '../../../kernel/rows/row-order.js';
import type { Narrowing } from '../../../ports/read-store.port.js';
import type { Table } from '../table/table.record.js';
import { readFilter, readSort } from './reading/read-filter.js';
import { readReport } from './reading/read-report.js';
import { cursorAfter, rowCursorPosition } from './reading/row-cursor.js';
import { type Row, rows } from './row.record.js';
import { hiddenIn, type RowAnswer, rowShown } from './row-view.js';
import { isRowWithin, type RowAccess, readable } from './rules/row-access.js';
import { denyReading } from './rules/row-denials.js';

export interface ListQuery {
  readonly filter?: JsonObject | undefined;
  readonly sort?: readonly JsonObject[] | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  readonly search?: string | undefined;
}

export interface ListAnswer {
  readonly rows: readonly RowAnswer[];
  /** Number of matching rows on all pages. In a visitor's list, at most 50,000. */
  readonly total: number;
  readonly nextCursor: string | null;
  /** Names of fields that are omitted from some or all of these rows. */
  readonly hiddenFields: readonly string[];
}

const defaultLimit = 100;
/**
 * Maximum number of rows that are counted for a visitor's list. Counting a large table to its end would occupy a thread
 * for each page.
 */
const mostCounted = 50_000;
const collection = rows.collection.name;

type Site = string | undefined;

const searched = new Set(['text', 'longText', 'email', 'url', 'phone', 'select']);

/** Lists, counts, searches and reports include exactly the rows that the caller could read one by one. */
@Injectable()
export class RowReader {
  constructor(private readonly reads: Reads) {}

  async one(table: Table, access: RowAccess, id: string): Promise<Row> {
    const row = await this.reads.get<Row>(table.workspaceId, collection, id);
    return row?.tableId === table.id && isRowWithin(access.rows.read, row) ? row : rows.missing();
  }

  async list(table: Table, access: RowAccess, query: ListQuery, visitedSite: Site): Promise<ListAnswer> {
    const { limit = defaultLimit, cursor } = query;
    const sort: Sort = query.sort === undefined || query.sort.length === 0 ? oldestFirst : readSort(table, query.sort);
    mustBeReadable(
      table,
      access,
      sort.map(([field]) => field),
    );
    const after = cursor === undefined ? {} : { after: rowCursorPosition(cursor, table.id, sort) };
    const narrowing = narrowed(table, access, query);
    if (narrowing === undefined)
      return { rows: [], total: 0, nextCursor: null, hiddenFields: hiddenIn(table, access, []) };
    const where = { tableId: table.id };
    const options = { ...narrowing, visitedSite };
    const order = { sort, missing: 'last', limit: limit + 1 } as const;
    const found = await this.reads.find<Row>(table.workspaceId, collection, { where, ...options, ...order, ...after });
    const isAll = cursor === undefined && found.length <= limit;
    const most = visitedSite === undefined ? undefined : mostCounted;
    const total = isAll
      ? found.length
      : await this.reads.count(table.workspaceId, collection, where, { ...options, most });
    const page = found.slice(0, limit);
    const last = page.at(-1);
    return {
      rows: page.map((row) => rowShown(table, access, row)),
      total,
      nextCursor: last === undefined || found.length <= limit ? null : cursorAfter(last, sort),
      hiddenFields: hiddenIn(table, access, page),
    };
  }

  async count(table: Table, access: RowAccess, filter: JsonObject | undefined, visitedSite: Site): Promise<number> {
    const narrowing = narrowed(table, access, { filter });
    if (narrowing === undefined) return 0;
    return this.reads.count(table.workspaceId, collection, { tableId: table.id }, { ...narrowing, visitedSite });
  }

  async report(table: Table, access: RowAccess, spec: JsonObject, visitedSite: Site): Promise<readonly JsonObject[]> {
    const { filter, ...grouping } = readReport(table, spec);
    mustBeReadable(
      table,
      access,
      [...grouping.by, ...grouping.measures].flatMap(({ field }) => field ?? []),
    );
    const narrowing = readable(access, filter);
    if (narrowing === undefined) return [];
    return this.reads.groups(table.workspaceId, collection, {
      where: { tableId: table.id },
      ...narrowing,
      ...grouping,
      visitedSite,
    });
  }
}

const oldestFirst: Sort = [['createdAt', 'asc']];

function narrowed(table: Table, access: RowAccess, { filter, search }: ListQuery): Narrowing | undefined {
  const within = readable(access, filter === undefined ? undefined : readFilter(table, filter));
  if (within === undefined || search === undefined || search === '') return within;
  const fields = table.fields
    .filter(({ id, type }) => searched.has(type) && (access.fields.get(id)?.read ?? 'everything') === 'everything')
    .map(({ id }) => `values.${id}`);
  return { ...within, search: { fields, text: search } };
}

/**
 * Refuses fields that are hidden in some or all rows, because a sort order, report or match would reveal their values.
 * @throws Refusal field-not-readable
 */
export function mustBeReadable(table: Table, access: RowAccess, paths: readonly string[]): void {
  for (const field of table.fields) {
    const isHidden = (access.fields.get(field.id)?.read ?? 'everything') !== 'everything';
    if (isHidden && paths.includes(`values.${field.id}`)) denyReading(table, field);
  }
}
