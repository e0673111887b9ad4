import { post } from './connection.js';
import type { Checkout, Email, Functions, JsonObject, Payments, ServerProxy, Tables } from './site.js';

async function run<Result>(path: string, params: JsonObject = {}): Promise<Result> {
  return (await post<{ data: Result }>(path, params)).data;
}

export const functions: Functions = {
  invoke: (name, params) => run(`functions/${encodeURIComponent(name)}`, params),
  invokeAccount: (idOrName, params) => run(`account-functions/${encodeURIComponent(idOrName)}`, params),
};

const rows = <Answer>(method: keyof Tables, body: object = {}): Promise<Answer> => post(`tables/${method}`, body);

export const tables: Tables = {
  getRows: (table, options) => rows('getRows', { table, ...options }),
  getRow: (table, id) => rows('getRow', { table, id }),
  searchRows: (table, text, options) => rows('searchRows', { table, text, ...options }),
  filterRows: (table, filter, options) => rows('filterRows', { table, filter, ...options }),
  getRowCount: (table, filter) => rows('getRowCount', { table, filter }),
  readAll: (table, options) => rows('readAll', { table, ...options }),
  report: (table, spec) => rows('report', { table, spec }),
  listTables: () => rows('listTables'),
  getTableSchema: (table) => rows('getTableSchema', { table }),
  createRow: (table, values) => rows('createRow', { table, values }),
  updateRow: (table, id, values) => rows('updateRow', { table, id, values }),
  upsertRow: (table, match, values) => rows('upsertRow', { table, match, values }),
  deleteRow: (table, id) => rows('deleteRow', { table, id }),
  bulkUpdateRows: (table, changes) => rows('bulkUpdateRows', { table, rows: changes }),
  bulkDeleteRows: (table, ids) => rows('bulkDeleteRows', { table, ids }),
};

export const payments: Payments = {
  checkout: async (offerKey, options) => {
    const begun = await post<Checkout>('payments/checkout', { offerKey, ...options });
    // Outside a browser there is no location to change, so other apps must open `url` themselves.
    if (begun.status === 'redirect' && begun.url !== undefined) globalThis.location?.assign(begun.url);
    return begun;
  },
};

export const email: Email = { send: (message) => post('email/send', message) };

export const proxy: ServerProxy = { fetch: (url, options) => post('proxy', { url, ...options }) };
