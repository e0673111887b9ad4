import {
  finite,
  type Group,
  type GroupBy,
  type GroupUnit,
  groupOrder,
  type Measure,
} from '../../../../kernel/rows/row-report.js';
import type { Report } from '../../../../ports/read-store.port.js';
import { type FieldExpression, inDocument } from '../fields.js';

export function selecting({ by, measures }: Pick<Report, 'by' | 'measures'>): string {
  const values = by.map((part, at) => `${groupValue(part)} AS ${groupColumn(at)}`);
  const measured = measures.map((measure, at) => `${measuring(measure)} AS ${measureColumn(at)}`);
  return [...values, ...measured, 'count(*) AS n'].join(', ');
}

export function grouping(report: Report): string {
  const { by, sort = [] } = report;
  if (by.length === 0) return '';
  const columns = new Map([
    ...by.map(({ as }, at) => [as, groupColumn(at)] as const),
    ...report.measures.map(({ as }, at) => [as, measureColumn(at)] as const),
  ]);
  const order = groupOrder(report, sort).map(
    ([name, direction]) => `${columns.get(name)}${direction === 'desc' ? ' DESC' : ''} NULLS LAST`,
  );
  return `GROUP BY ${by.map((_, at) => groupColumn(at)).join(', ')} ORDER BY ${order.join(', ')}`;
}

export function groupOf({ by, measures }: Report, row: Readonly<Record<string, unknown>>): Group {
  const values = by.map(({ as, kind }, at) => [as, answered(row[groupColumn(at)], kind === 'boolean')] as const);
  const measured = measures.map(({ as }, at) => [as, answered(row[measureColumn(at)], false)] as const);
  return Object.fromEntries([...values, ...measured]);
}

const groupColumn = (at: number) => `g${at}`;
const measureColumn = (at: number) => `m${at}`;

function answered(value: unknown, isTruth: boolean): Group[string] {
  if (typeof value === 'number') return isTruth ? value === 1 : finite(value);
  return typeof value === 'string' ? value : null;
}

function groupValue({ field, kind, unit }: GroupBy): string {
  const at = inDocument(field);
  switch (kind) {
    case 'text':
      return unit === undefined ? textOf(at) : unitOf(at, unit);
    case 'number':
      return numberOf(at);
    case 'boolean':
      return `CASE ${at.type} WHEN 'true' THEN 1 WHEN 'false' THEN 0 END`;
  }
}

const textOf = ({ value, type }: FieldExpression) => `CASE WHEN ${type} = 'text' THEN ${value} END`;

/** A double, as in JavaScript and JSON. Otherwise a sum of integers could overflow. */
const numberOf = ({ value, type }: FieldExpression) =>
  `CASE WHEN ${type} IN ('integer','real') THEN CAST(${value} AS REAL) END`;

const digits = (count: number) => '[0-9]'.repeat(count);
const dateForm = `${digits(4)}-${digits(2)}-${digits(2)}*`;
const lengths = { day: 10, month: 7, year: 4 } as const;

function unitOf({ value: text, type }: FieldExpression, unit: GroupUnit): string {
  const day = `substr(${text}, 1, 10)`;
  // SQLite goes forward to the next Sunday, then back by six days to the Monday.
  const value = unit === 'week' ? `date(${day}, 'weekday 0', '-6 days')` : `substr(${text}, 1, ${lengths[unit]})`;
  return `CASE WHEN ${type} = 'text' AND ${text} GLOB '${dateForm}' THEN ${value} END`;
}

function measuring({ op, field, kind }: Measure): string {
  if (field === undefined) return 'count(*)';
  const at = inDocument(field);
  const value = kind === 'text' ? textOf(at) : numberOf(at);
  switch (op) {
    case 'count':
      return `count(${at.value})`;
    case 'sum':
      return `total(${value})`;
    case 'avg':
    case 'min':
    case 'max':
      return `${op}(${value})`;
  }
}
