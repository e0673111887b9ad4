import { type Filter, matchesFilter } from '../../../../kernel/rows/row-filter.js';
import { type FindIds, followed, type RowScope } from './related-rows.js';
import { type Asking, type RuleContext, rowsAllowed } from './row-rules.js';

export type RowRight = 'read' | 'create' | 'update' | 'delete';

export interface RowAccess {
  readonly rows: Readonly<Record<RowRight, RowScope>>;
  /** Keyed by field id. For a field that is not in the map, access to the row is enough. */
  readonly fields: ReadonlyMap<string, { readonly read: RowScope; readonly write: RowScope }>;
}

export const fullAccess: RowAccess = {
  rows: { read: 'everything', create: 'everything', update: 'everything', delete: 'everything' },
  fields: new Map(),
};

/**
 * A missing or empty rule for rows gives no access. A field without a rule is accessible with its row. Rights that are
 * not in `rights` are returned as `nothing`, because determining them can need queries.
 */
export async function rowAccessOf(
  asking: Asking,
  ruled: RuleContext,
  findIds: FindIds,
  rights: readonly RowRight[],
): Promise<RowAccess> {
  const { table } = ruled;
  const scope = async (condition: unknown): Promise<RowScope> =>
    followed(rowsAllowed(condition, asking, ruled), findIds);
  const scopeOfField = async (condition: unknown): Promise<RowScope> =>
    condition === undefined || condition === null ? 'everything' : scope(condition);
  const writes = rights.includes('create') || rights.includes('update');

  const rows: Record<RowRight, RowScope> = { ...noRows };
  for (const right of rights) rows[right] = await scope(table.accessRules?.[right]);
  const fields = new Map<string, { readonly read: RowScope; readonly write: RowScope }>();
  for (const { id, accessRules } of table.fields) {
    const read = await scopeOfField(accessRules?.read);
    const write = writes ? await scopeOfField(accessRules?.write) : 'nothing';
    if (read !== 'everything' || write !== 'everything') fields.set(id, { read, write });
  }
  return { rows, fields };
}

const noRows: RowAccess['rows'] = { read: 'nothing', create: 'nothing', update: 'nothing', delete: 'nothing' };

/** `row` must be a document of the read model, because the scope is a filter for such documents. */
export function isRowWithin(scope: RowScope, row: object): boolean {
  if (typeof scope === 'string') return scope === 'everything';
  return matchesFilter(row, scope);
}

export function shownOf<Row extends { readonly values: Readonly<Record<string, unknown>> }>(
  { fields }: RowAccess,
  row: Row,
): { readonly row: Row; readonly hidden: readonly string[] } {
  const hidden = [...fields].filter(([, { read }]) => !isRowWithin(read, row)).map(([id]) => id);
  if (hidden.length === 0) return { row, hidden };
  const values = Object.fromEntries(Object.entries(row.values).filter(([id]) => !hidden.includes(id)));
  return { row: { ...row, values }, hidden };
}

/** `row` is the new row if it is being created, otherwise the stored one. */
export function unwritable({ fields }: RowAccess, written: readonly string[], row: object): readonly string[] {
  return written.filter((id) => {
    const scope = fields.get(id);
    return scope !== undefined && !isRowWithin(scope.write, row);
  });
}

export function hiddenFields({ fields }: RowAccess): {
  readonly always: readonly string[];
  readonly sometimes: readonly string[];
} {
  const scopes = [...fields].map(([id, { read }]) => ({ id, read }));
  return {
    always: scopes.filter(({ read }) => read === 'nothing').map(({ id }) => id),
    sometimes: scopes.filter(({ read }) => typeof read === 'object').map(({ id }) => id),
  };
}

const hiddenInAll: Filter = { all: [] };
const nowhere: Filter = { any: [] };

/** Treats hidden values as missing. Otherwise, the caller could find out a hidden value by trying out filters. */
export function blindTo(access: RowAccess, filter: Filter): Filter {
  if (access.fields.size === 0) return filter;
  if ('all' in filter) return { all: filter.all.map((one) => blindTo(access, one)) };
  if ('any' in filter) return { any: filter.any.map((one) => blindTo(access, one)) };
  if ('not' in filter) return { not: blindTo(access, filter.not) };
  const scope = filter.field.startsWith('values.')
    ? access.fields.get(filter.field.slice('values.'.length))
    : undefined;
  if (scope === undefined || scope.read === 'everything') return filter;
  const whenHidden = matchesFilter({}, filter) ? hiddenInAll : nowhere;
  if (scope.read === 'nothing') return whenHidden;
  return { any: [{ all: [scope.read, filter] }, { all: [{ not: scope.read }, whenHidden] }] };
}

export function readable(access: RowAccess, filter: Filter | undefined): { readonly filter?: Filter } | undefined {
  const { read } = access.rows;
  if (read === 'nothing') return undefined;
  const parts = [...(read === 'everything' ? [] : [read]), ...(filter === undefined ? [] : [blindTo(access, filter)])];
  const [first, second] = parts;
  if (first === undefined) return {};
  return { filter: second === undefined ? first : { all: [first, second] } };
}
