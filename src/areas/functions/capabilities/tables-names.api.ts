/** The members of `ctx.tables` (Sites API, Code context 1). */
export const tablesNames = [
  'getRows',
  'getRow',
  'searchRows',
  'filterRows',
  'getRowCount',
  'readAll',
  'report',
  'listTables',
  'getTableSchema',
  'createRow',
  'updateRow',
  'upsertRow',
  'deleteRow',
  'bulkUpdateRows',
  'bulkDeleteRows',
] as const;

export type TablesName = (typeof tablesNames)[number];

/** The same at another place below ctx. */
export const tablesUnder = (place: string): readonly string[] => tablesNames.map((name) => `${place}.${name}`);
