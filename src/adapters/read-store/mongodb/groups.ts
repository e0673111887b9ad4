import {
  finite,
  type Group,
  type GroupBy,
  type GroupUnit,
  groupOrder,
  type Measure,
} from '../../../kernel/rows/row-report.js';
import type { Report } from '../../../ports/read-store.port.js';
import { fieldPath } from './fields.js';

type Expression = object | string | null;
type Stage = Readonly<Record<string, object | number>>;

const groupName = (at: number) => `g${at}`;
const measureName = (at: number) => `m${at}`;
const missingName = (at: number) => `n${at}`;
const dayMs = 86_400_000;

/** Columns get generated names, so that MongoDB never interprets the names that the caller chose. */
export function grouping(report: Report): readonly Stage[] {
  const { by, measures, sort = [] } = report;
  const key = by.map((part, at) => [groupName(at), groupValue(part)] as const);
  const measured = measures.map((measure, at) => [measureName(at), measuring(measure)] as const);
  const group = { $group: { _id: by.length === 0 ? null : Object.fromEntries(key), ...Object.fromEntries(measured) } };
  if (by.length === 0) return [group];
  const paths = new Map([
    ...by.map(({ as }, at) => [as, `_id.${groupName(at)}`] as const),
    ...measures.map(({ as }, at) => [as, measureName(at)] as const),
  ]);
  const order = groupOrder(report, sort).map(([name, direction], at) => ({
    path: paths.get(name) ?? '',
    missing: missingName(at),
    direction: direction === 'asc' ? 1 : -1,
  }));
  const missing = order.map((term) => [term.missing, when({ $eq: [`$${term.path}`, null] }, 1, 0)] as const);
  const sorted = order.flatMap((term) => [[term.missing, 1] as const, [term.path, term.direction] as const]);
  return [group, { $set: Object.fromEntries(missing) }, { $sort: Object.fromEntries(sorted) }];
}

export function groupOf({ by, measures }: Report, row: Readonly<Record<string, unknown>>): Group {
  const key = (row['_id'] ?? {}) as Readonly<Record<string, unknown>>;
  const values = by.map(({ as }, at) => [as, answered(key[groupName(at)])] as const);
  const measured = measures.map(({ as }, at) => [as, answered(row[measureName(at)])] as const);
  return Object.fromEntries([...values, ...measured]);
}

function answered(value: unknown): Group[string] {
  if (typeof value === 'number') return finite(value);
  return typeof value === 'string' || typeof value === 'boolean' ? value : null;
}

const when = (condition: Expression, then: unknown, otherwise: unknown) => ({ $cond: [condition, then, otherwise] });

const ofType = (field: string, ...types: readonly string[]) =>
  when({ $in: [{ $type: `$${fieldPath(field)}` }, types] }, `$${fieldPath(field)}`, null);
const numberOf = (field: string) => ofType(field, 'double', 'int', 'long');
const textOf = (field: string) => ofType(field, 'string');

function groupValue({ field, kind, unit }: GroupBy): Expression {
  switch (kind) {
    case 'text':
      return unit === undefined ? textOf(field) : unitOf(textOf(field), unit);
    case 'number':
      return numberOf(field);
    case 'boolean':
      return ofType(field, 'bool');
  }
}

const lengths = { day: 10, month: 7, year: 4 } as const;

function unitOf(text: Expression, unit: GroupUnit): Expression {
  const isDate = { $regexMatch: { input: text, regex: '^[0-9]{4}-[0-9]{2}-[0-9]{2}' } };
  const value = unit === 'week' ? mondayOf(text) : { $substrBytes: [text, 0, lengths[unit]] };
  return when(isDate, value, null);
}

function mondayOf(text: Expression): Expression {
  const date = { $dateFromString: { dateString: { $substrBytes: [text, 0, 10] }, onError: null } };
  const sinceMonday = { $multiply: [{ $subtract: [{ $isoDayOfWeek: date }, 1] }, dayMs] };
  return { $dateToString: { date: { $subtract: [date, sinceMonday] }, format: '%Y-%m-%d' } };
}

function measuring({ op, field, kind }: Measure): Expression {
  if (field === undefined) return { $sum: 1 };
  if (op === 'count') return { $sum: when({ $eq: [{ $type: `$${fieldPath(field)}` }, 'missing'] }, 0, 1) };
  return { [`$${op}`]: kind === 'text' ? textOf(field) : numberOf(field) };
}
