import { refuseInput } from '../../../../kernel/field/refuse-input.js';
import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/json/json.js';
import type { Filter } from '../../../../kernel/rows/row-filter.js';
import type { GroupBy, Grouping, GroupUnit, Measure } from '../../../../kernel/rows/row-report.js';
import { wrongTableName } from '../../table/field-names.api.js';
import type { Table } from '../../table/table.record.js';
import { requiredColumn } from './column.js';
import { refuseUnknown } from './field-values.js';
import { readFilter, sortOf } from './read-filter.js';

type FieldsOf = Pick<Table, 'fields'>;

export const mostGroupFields = 20;
export const mostMeasures = 50;
export const mostGroups = 10_000;
const defaultGroups = 1_000;

const units: readonly GroupUnit[] = ['day', 'week', 'month', 'year'];
const ops: readonly Measure['op'][] = ['count', 'sum', 'avg', 'min', 'max'];
const members: ReadonlySet<string> = new Set(['groupBy', 'measures', 'filter', 'sort', 'limit']);

/**
 * The form is `{ groupBy?: [field | { field, by }], measures: [{ op, field?, as? }], filter?, sort?, limit? }`. A group
 * has the name of its field. Results can be sorted by the names of groups and measures.
 * @throws Refusal unknown-field, invalid-input
 */
export function readReport(table: FieldsOf, spec: JsonObject, path = 'spec'): Grouping & { readonly filter?: Filter } {
  const other = Object.keys(spec).find((key) => !members.has(key));
  if (other !== undefined) {
    refuse(`${path}.${other.slice(0, 100)}`, `is unknown: a report may have ${[...members].join(', ')}`);
  }
  const by = list(spec['groupBy'] ?? [], `${path}.groupBy`, 0, mostGroupFields).map((one, index) =>
    groupBy(table, one, `${path}.groupBy[${index}]`),
  );
  const measures = list(spec['measures'], `${path}.measures`, 1, mostMeasures).map((one, index) =>
    measure(table, one, `${path}.measures[${index}]`),
  );
  const names = [...by, ...measures].map(({ as }) => as);
  mustDiffer(names, path);
  const sort = sortOf(
    list(spec['sort'] ?? [], `${path}.sort`, 0, Number.POSITIVE_INFINITY),
    `${path}.sort`,
    (name, at) =>
      names.includes(name)
        ? name
        : refuseUnknown(
            [name],
            names.map((known) => ({ name: known })),
            () => at,
          ),
  );
  const { filter } = spec;
  return { by, measures, sort, limit: limitOf(spec['limit'], `${path}.limit`), ...filtered(table, filter, path) };
}

function filtered(table: FieldsOf, filter: Json | undefined, path: string): { readonly filter?: Filter } {
  if (filter === undefined) return {};
  if (!isJsonObject(filter)) return refuse(`${path}.filter`, 'must be a filter');
  return { filter: readFilter(table, filter, `${path}.filter`) };
}

function groupBy(table: FieldsOf, sent: Json, path: string, fieldPath = `${path}.field`): GroupBy {
  if (typeof sent === 'string') return groupBy(table, { field: sent }, path, path);
  if (!isJsonObject(sent)) return refuse(path, 'must be the name of a field or { field, by }');
  const { field: name, by, ...others } = sent;
  mustBeNothing(others, path, 'an entry is { field, by }');
  if (typeof name !== 'string') return refuse(fieldPath, 'must be the name of a field');
  const { type, kind, path: field } = requiredColumn(table, name, fieldPath);
  if (kind === 'json' || kind === 'list') return refuse(path, `must not be of type ${type}, which cannot be grouped`);
  if (by === undefined) return { as: name, field, kind };
  const unit = units.find((one) => one === by) ?? refuse(`${path}.by`, `must be one of: ${units.join(', ')}`);
  if (type === 'date' || type === 'dateTime') return { as: name, field, kind, unit };
  return refuse(`${path}.by`, `must be omitted: the field is of type ${type} and not a date`);
}

function measure(table: FieldsOf, sent: Json, path: string): Measure {
  if (!isJsonObject(sent)) return refuse(path, 'must be { op, field, as }');
  const { op: sentOp, field: name, as: sentAs, ...others } = sent;
  mustBeNothing(others, path, 'a measure is { op, field, as }');
  const op = ops.find((one) => one === sentOp) ?? refuse(`${path}.op`, `must be one of: ${ops.join(', ')}`);
  if (name !== undefined && typeof name !== 'string') return refuse(`${path}.field`, 'must be the name of a field');
  const as = sentAs ?? (name === undefined ? op : `${op}_${name}`);
  if (typeof as !== 'string') return refuse(`${path}.as`, 'must be a name');
  const wrong = sentAs === undefined ? undefined : as === '__proto__' ? 'must be another name' : wrongTableName(as);
  if (wrong !== undefined) return refuse(`${path}.as`, wrong);
  if (name === undefined) {
    return op === 'count' ? { as, op } : refuse(`${path}.field`, `is required for ${op}`);
  }
  const { type, kind, path: field } = requiredColumn(table, name, `${path}.field`);
  if (op === 'count') return { as, op, field };
  const isFit = kind === 'number' || (kind === 'text' && (op === 'min' || op === 'max'));
  return isFit ? { as, op, field, kind } : refuse(`${path}.field`, `must not be of type ${type} for ${op}`);
}

function limitOf(limit: Json | undefined, path: string): number {
  if (limit === undefined) return defaultGroups;
  const isFine = Number.isInteger(limit) && Number(limit) >= 1 && Number(limit) <= mostGroups;
  return isFine ? Number(limit) : refuse(path, `must be an integer from 1 to ${mostGroups}`);
}

function list(sent: Json | undefined, path: string, least: number, most: number): readonly Json[] {
  if (!Array.isArray(sent))
    return refuse(path, sent === undefined ? 'is required and must be a list' : 'must be a list');
  if (sent.length < least) return refuse(path, 'must not be empty');
  return sent.length > most ? refuse(path, `must have at most ${most} entries`) : sent;
}

function mustDiffer(names: readonly string[], path: string): void {
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) refuse(path, `would have two parts named '${twice}'; rename a measure with \`as\``);
}

function mustBeNothing(others: JsonObject, path: string, known: string): void {
  const [other] = Object.keys(others);
  if (other !== undefined) refuse(`${path}.${other.slice(0, 100)}`, `is unknown: ${known}`);
}

const refuse = (path: string, message: string): never => refuseInput([{ path, message }]);
