import { type Filter, matchesFilter } from '../../../../kernel/rows/row-filter.js';
import { type FindIds, followed, type Scope } from './related-rows.js';
import { type Asking, type RuledPlace, rowsAllowed } from './row-rules.js';

export type RowRight = 'read' | 'create' | 'update' | 'delete';

/** What one caller may do with the rows of one table, as filters for queries, and for judging single rows. */
export interface RowAccess {
  readonly rows: Readonly<Record<RowRight, Scope>>;
  /** By field id. A field that is left out may be read and written wherever its row may. */
  readonly fields: ReadonlyMap<string, { readonly read: Scope; readonly write: Scope }>;
}

/** Of the owner and of members, whom the rules of rows are not about. */
export const fullAccess: RowAccess = {
  rows: { read: 'everything', create: 'everything', update: 'everything', delete: 'everything' },
  fields: new Map(),
};

/**
 * The access of a site's user or visitor. Rules that are empty or missing let none of them in; a field without a rule goes
 * with its row. Only what is asked for is worked out: relationships take look-ups.
 */
export async function accessOf(
  asking: Asking,
  place: RuledPlace,
  findIds: FindIds,
  rights: readonly RowRight[],
): Promise<RowAccess> {
  const { table } = place;
  const scope = async (condition: unknown): Promise<Scope> => followed(rowsAllowed(condition, asking, place), findIds);
  const scopeOfField = async (condition: unknown): Promise<Scope> =>
    condition === undefined || condition === null ? 'everything' : scope(condition);
  const writes = rights.includes('create') || rights.includes('update');

  const rows: Record<RowRight, Scope> = { ...noRows };
  for (const right of rights) rows[right] = await scope(table.accessRules?.[right]);
  const fields = new Map<string, { readonly read: Scope; readonly write: Scope }>();
  for (const { id, accessRules } of table.fields) {
    const read = await scopeOfField(accessRules?.read);
    const write = writes ? await scopeOfField(accessRules?.write) : 'nothing';
    if (read !== 'everything' || write !== 'everything') fields.set(id, { read, write });
  }
  return { rows, fields };
}

const noRows: RowAccess['rows'] = { read: 'nothing', create: 'nothing', update: 'nothing', delete: 'nothing' };

/** Whether a row is in a scope. The document is that of the read model, whose filters are queries. */
export function isWithin(scope: Scope, row: object): boolean {
  if (typeof scope === 'string') return scope === 'everything';
  return matchesFilter(row, scope);
}

/** What may be read of a row, by field id, without the fields whose rule denies: those are named. */
export function shownOf<Row extends { readonly values: Readonly<Record<string, unknown>> }>(
  { fields }: RowAccess,
  row: Row,
): { readonly row: Row; readonly hidden: readonly string[] } {
  const hidden = [...fields].filter(([, { read }]) => !isWithin(read, row)).map(([id]) => id);
  if (hidden.length === 0) return { row, hidden };
  const values = Object.fromEntries(Object.entries(row.values).filter(([id]) => !hidden.includes(id)));
  return { row: { ...row, values }, hidden };
}

/** The fields among these that the caller may not write: create is judged on the new row, update on the stored one. */
export function unwritable({ fields }: RowAccess, written: readonly string[], row: object): readonly string[] {
  return written.filter((id) => {
    const scope = fields.get(id);
    return scope !== undefined && !isWithin(scope.write, row);
  });
}

/** The fields that are hidden in every row, and those that are hidden in some. */
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

const everywhere: Filter = { all: [] };
const nowhere: Filter = { any: [] };

/**
 * A caller's own filter, so that it finds what the rows show: a comparison of a hidden value is one of a missing value.
 * Otherwise whoever may not read a field could find it out by asking for one value after the other.
 */
export function blindTo(access: RowAccess, filter: Filter): Filter {
  if (access.fields.size === 0) return filter;
  if ('all' in filter) return { all: filter.all.map((one) => blindTo(access, one)) };
  if ('any' in filter) return { any: filter.any.map((one) => blindTo(access, one)) };
  if ('not' in filter) return { not: blindTo(access, filter.not) };
  const scope = filter.field.startsWith('values.')
    ? access.fields.get(filter.field.slice('values.'.length))
    : undefined;
  if (scope === undefined || scope.read === 'everything') return filter;
  const whenHidden = matchesFilter({}, filter) ? everywhere : nowhere;
  if (scope.read === 'nothing') return whenHidden;
  return { any: [{ all: [scope.read, filter] }, { all: [{ not: scope.read }, whenHidden] }] };
}

/** The caller's filter within what they may read; undefined when they may read no row at all. */
export function readable(access: RowAccess, filter: Filter | undefined): { readonly filter?: Filter } | undefined {
  const { read } = access.rows;
  if (read === 'nothing') return undefined;
  const parts = [...(read === 'everything' ? [] : [read]), ...(filter === undefined ? [] : [blindTo(access, filter)])];
  const [first, second] = parts;
  if (first === undefined) return {};
  return { filter: second === undefined ? first : { all: [first, second] } };
}
