import type { OperationContext } from '../../../../engine/operation/operation-context.js';
import type { Json } from '../../../../kernel/json/json.js';
import type { RowCaller, Rows, TableName } from '../../../bases/row/rows.api.js';
import { refuse } from '../../functions.refusals.js';
import { mostRowsOfCall, type TablesArguments } from '../tables-arguments.js';

export interface TablesAccess {
  readonly call: OperationContext;
  readonly who: RowCaller;
  readonly baseId: string;
}

export interface TablesMember {
  /** Argument names in order, without the options, which come last. */
  readonly takes: readonly string[];
  readonly usage: string;
  /** If omitted, the call only reads rows. */
  readonly does?: 'write' | 'delete';
  run(rows: Rows, access: TablesAccess, args: TablesArguments): Promise<Json>;
}

/** Maximum number of rows that readAll returns (Sites API, Code context 1). */
const mostOfAll = 10_000;

const tableIn = ({ baseId }: TablesAccess, args: TablesArguments): TableName => ({
  baseId,
  nameOrId: args.text(0, 'the table, by its name or id,'),
});

export const tablesMembers = {
  getRows: {
    takes: ['table'],
    usage: '(table, { filter?, sort?, limit?, cursor? }): resolves to { rows, total, hiddenFields, nextCursor }.',
    run: async (rows, access, args) => {
      const { call, who } = access;
      const query = args.options(1, 'filter', 'sort', 'limit', 'cursor');
      return { ...(await rows.getRows(call, who, tableIn(access, args), query)) };
    },
  },
  getRow: {
    takes: ['table', 'id'],
    usage: '(table, id): resolves to the row.',
    run: (rows, access, args) =>
      rows.getRow(access.call, access.who, tableIn(access, args), args.text(1, 'the id of the row')),
  },
  searchRows: {
    takes: ['table', 'text'],
    usage: '(table, text, { limit? }): the rows with this text in any text field, in the form of getRows.',
    run: async (rows, access, args) => {
      const { call, who } = access;
      const query = { search: args.text(1, 'the text to search for'), ...args.options(2, 'limit') };
      return { ...(await rows.getRows(call, who, tableIn(access, args), query)) };
    },
  },
  filterRows: {
    takes: ['table', 'filter'],
    usage: '(table, filter, { sort?, limit? }): the rows that match, in the form of getRows.',
    run: async (rows, access, args) => {
      const { call, who } = access;
      const query = { filter: args.object(1, 'the filter'), ...args.options(2, 'sort', 'limit') };
      return { ...(await rows.getRows(call, who, tableIn(access, args), query)) };
    },
  },
  getRowCount: {
    takes: ['table', 'filter'],
    usage: '(table, filter?): resolves to the number of rows that match.',
    run: (rows, access, args) => rows.count(access.call, access.who, tableIn(access, args), args.filter(1)),
  },
  readAll: {
    takes: ['table'],
    usage:
      '(table, { filter?, sort?, maxRows? }): resolves to all matching rows, a list with hiddenFields; uses one call per 1,000 rows, and returns at most 10,000 rows.',
    run: readPage,
  },
  report: {
    takes: ['table', 'spec'],
    usage: '(table, { groupBy?, measures, filter?, sort?, limit? }): resolves to { groups }.',
    run: async (rows, access, args) => {
      const { call, who } = access;
      const groups = await rows.report(call, who, tableIn(access, args), args.object(1, 'the report'));
      return { groups: [...groups] };
    },
  },
  listTables: {
    takes: [],
    usage: '(): resolves to [{ id, name, description }].',
    run: async (rows, { call, who, baseId }) => {
      const found = await rows.tables(call, who, baseId);
      return found.map(({ id, name, description }) => ({ id, name, description }));
    },
  },
  getTableSchema: {
    takes: ['table'],
    usage: '(table): resolves to { id, name, description, fields }.',
    run: async (rows, access, args) => {
      const { id, name, description, fields } = await rows.shownTable(access.call, access.who, tableIn(access, args));
      const shown = fields.map(({ accessRules: _, ...field }) => field as unknown as Json);
      return { id, name, description, fields: shown };
    },
  },
  createRow: {
    takes: ['table', 'values'],
    usage: '(table, values): creates a row and resolves to it. Every key must be a field of the table.',
    does: 'write',
    run: async (rows, access, args) => {
      const { call, who } = access;
      const [row] = await rows.createRows(call, who, tableIn(access, args), [args.object(1, 'the argument values')]);
      return row ?? null;
    },
  },
  updateRow: {
    takes: ['table', 'id', 'values'],
    usage: '(table, id, values): changes the given fields and resolves to the row.',
    does: 'write',
    run: async (rows, access, args) => {
      const change = { id: args.text(1, 'the id of the row'), values: args.object(2, 'the argument values') };
      const [row] = await rows.updateRows(access.call, access.who, tableIn(access, args), [change]);
      return row ?? null;
    },
  },
  upsertRow: {
    takes: ['table', 'match', 'values'],
    usage: '(table, match, values): updates the row with the values of match, or creates it; resolves to the row.',
    does: 'write',
    run: (rows, access, args) => {
      const [match, values] = [args.object(1, 'the argument match'), args.object(2, 'the argument values')];
      return rows.upsertRow(access.call, access.who, tableIn(access, args), match, values);
    },
  },
  deleteRow: {
    takes: ['table', 'id'],
    usage: '(table, id): deletes the row.',
    does: 'delete',
    run: async (rows, access, args) => {
      await rows.deleteRows(access.call, access.who, tableIn(access, args), [
        { id: args.text(1, 'the id of the row') },
      ]);
      return { success: true };
    },
  },
  bulkUpdateRows: {
    takes: ['table', 'rows'],
    usage: '(table, [{ id, values }]): changes up to 1,000 rows, all or none; resolves to { rows }.',
    does: 'write',
    run: async (rows, access, args) => {
      const changed = await rows.updateRows(access.call, access.who, tableIn(access, args), args.changes(1));
      return { rows: [...changed] };
    },
  },
  bulkDeleteRows: {
    takes: ['table', 'ids'],
    usage: '(table, ids): deletes up to 1,000 rows, all or none; resolves to { deleted }.',
    does: 'delete',
    run: async (rows, access, args) => {
      const sent = args.ids(1).map((id) => ({ id }));
      await rows.deleteRows(access.call, access.who, tableIn(access, args), sent);
      return { deleted: sent.length };
    },
  },
} as const satisfies Readonly<Record<string, TablesMember>>;

export type TablesName = keyof typeof tablesMembers;

async function readPage(rows: Rows, access: TablesAccess, args: TablesArguments): Promise<Json> {
  const { maxRows = Number.POSITIVE_INFINITY, ...query } = args.options(1, 'filter', 'sort', 'maxRows');
  const { next, read } = args.progress(2);
  const table = tableIn(access, args);
  const limit = Math.min(maxRows - read, mostRowsOfCall);
  const page = await rows.getRows(access.call, access.who, table, {
    ...query,
    limit,
    ...(next ? { cursor: next } : {}),
  });
  const pageSize = Math.min(maxRows, Math.max(page.total, read + page.rows.length));
  if (pageSize > mostOfAll) refuse('too-many-rows', { found: page.total, most: mostOfAll });
  const isEnough = read + page.rows.length >= maxRows;
  return { rows: [...page.rows], hiddenFields: [...page.hiddenFields], next: isEnough ? null : page.nextCursor };
}
