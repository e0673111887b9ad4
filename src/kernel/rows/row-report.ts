import type { Json } from '../json/json.js';
import { isOf, type Kind, ownFieldOf } from './row-filter.js';
import { compareValues, type Sort } from './row-order.js';

export type GroupUnit = 'day' | 'week' | 'month' | 'year';

/**
 * Groups documents by the value of a field. Documents without a value, or with a value of another kind, form one group,
 * whose value is null.
 */
export interface GroupBy {
  readonly as: string;
  readonly field: string;
  readonly kind: Exclude<Kind, 'list' | 'json'>;
  /**
   * For texts that begin with a date (`2026-11-22…`, UTC): groups by day `2026-11-22`, by Monday of the ISO week, by
   * month `2026-11` or by year `2026`. Other texts are treated as missing values.
   */
  readonly unit?: GroupUnit;
}

/**
 * A value computed for each group. `count` is the number of documents or, with a field, of documents that have a value
 * of any kind. In a group without values, the sum is 0, and avg, min and max are null.
 */
export interface Measure {
  readonly as: string;
  readonly op: 'count' | 'sum' | 'avg' | 'min' | 'max';
  readonly field?: string;
  /**
   * Kind of the values that are summed, averaged or compared; values of other kinds are ignored. Must be `number` for
   * sum and avg, and may be omitted for count.
   */
  readonly kind?: 'number' | 'text';
}

export interface Grouping {
  readonly by: readonly GroupBy[];
  readonly measures: readonly Measure[];
  /**
   * Sorts by names in `by` and `measures`. Missing values come last, and the other names in `by`, in ascending order,
   * break ties.
   */
  readonly sort?: Sort;
  readonly limit?: number;
}

export type Group = Readonly<Record<string, string | number | boolean | null>>;

/**
 * @throws Error for an invalid grouping, such as one that uses a name twice, which is a bug of the code that made it
 */
export function checkGrouping({ by, measures, sort = [] }: Grouping): void {
  const names = [...by, ...measures].map(({ as }) => as);
  if (new Set(names).size < names.length) throw new Error(`Two parts of a report have the same name: ${names.join()}.`);
  const unknown = sort.find(([name]) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`A report cannot sort by ${unknown[0]}: it has no part with this name.`);
  for (const { as, kind, unit } of by) {
    if (unit !== undefined && kind !== 'text')
      throw new Error(`${as} is not a date, so it cannot be grouped by ${unit}.`);
  }
  for (const { as, op, field, kind } of measures) {
    const needsNumber = op === 'sum' || op === 'avg';
    if (op === 'count' ? false : field === undefined || kind === undefined || (needsNumber && kind !== 'number')) {
      throw new Error(`Invalid measure: ${op} of ${field} as ${as}.`);
    }
  }
}

/**
 * Read stores must return the same groups as this function, which tests check. Without `by` there is exactly one group,
 * even if there are no documents.
 */
export function reported(documents: readonly object[], grouping: Grouping): readonly Group[] {
  checkGrouping(grouping);
  const { by, measures, sort = [], limit } = grouping;
  const groups = new Map<string, { readonly values: readonly Json[]; readonly members: object[] }>();
  if (by.length === 0) groups.set('[]', { values: [], members: [] });
  for (const document of documents) {
    const values = by.map((part) => groupValue(document, part));
    const key = JSON.stringify(values);
    const group = groups.get(key) ?? { values, members: [] };
    group.members.push(document);
    groups.set(key, group);
  }
  const rows = [...groups.values()].map(({ values, members }): Group => {
    const named = by.map(({ as }, at) => [as, values[at] ?? null]);
    return Object.fromEntries([...named, ...measures.map((one) => [one.as, measured(members, one)])]);
  });
  const order = groupOrder(grouping, sort);
  return rows.sort((left, right) => compareGroups(left, right, order)).slice(0, limit);
}

export function groupOrder({ by }: Pick<Grouping, 'by'>, sort: Sort): Sort {
  const rest = by.filter(({ as }) => !sort.some(([name]) => name === as));
  return [...sort, ...rest.map(({ as }) => [as, 'asc'] as const)];
}

function compareGroups(left: Group, right: Group, order: Sort): number {
  for (const [name, direction] of order) {
    const sign = compareValues(left[name], right[name], direction);
    if (sign !== 0) return sign;
  }
  return 0;
}

function groupValue(document: object, { field, kind, unit }: GroupBy): Json {
  const value = ownFieldOf(document, field);
  if (!isOf(kind, value)) return null;
  return unit === undefined || typeof value !== 'string' ? (value ?? null) : unitOf(value, unit);
}

const dateForm = /^\d{4}-\d\d-\d\d/;
const dayMs = 86_400_000;

function unitOf(text: string, unit: GroupUnit): string | null {
  if (!dateForm.test(text)) return null;
  switch (unit) {
    case 'day':
      return text.slice(0, 10);
    case 'week':
      return mondayOf(text.slice(0, 10));
    case 'month':
      return text.slice(0, 7);
    case 'year':
      return text.slice(0, 4);
  }
}

function mondayOf(day: string): string | null {
  const at = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(at.getTime())) return null;
  return new Date(at.getTime() - ((at.getUTCDay() + 6) % 7) * dayMs).toISOString().slice(0, 10);
}

function measured(members: readonly object[], { op, field, kind }: Measure): number | string | null {
  if (field === undefined) return members.length;
  const all = members.map((member) => ownFieldOf(member, field)).filter((value) => value !== undefined);
  if (op === 'count') return all.length;
  const values = all.filter((value) => isOf(kind ?? 'number', value)) as readonly (number | string)[];
  const sum = values.reduce<number>((total, value) => total + Number(value), 0);
  switch (op) {
    case 'sum':
      return finite(sum);
    case 'avg':
      return values.length === 0 ? null : finite(sum / values.length);
    case 'min':
    case 'max':
      return values.toSorted((left, right) => compareValues(left, right, op === 'min' ? 'asc' : 'desc'))[0] ?? null;
  }
}

/** Infinity becomes null, because JSON cannot represent it. */
export const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
