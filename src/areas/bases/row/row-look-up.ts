import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import { type Filter, matchesFilter, type RowComparison } from '../../../kernel/rows/row-filter.js';
import { refuse } from '../bases.refusals.js';
import type { Table, TableField } from '../table/table.record.js';
import { comparableOf } from './reading/comparable-fields.js';
import type { NewValues } from './row.js';
import { isMissingValue, type Row, rows } from './row.record.js';
import type { RowScope } from './rules/related-rows.js';

type Site = string | undefined;

interface Looked {
  readonly id?: string | undefined;
  readonly values: NewValues;
}

/**
 * Returns the fields that became unique after they were created. The values of older rows in such a field are not
 * reserved, so duplicates are found only by searching the rows.
 */
export const searchedFields = ({ fields }: Pick<Table, 'fields'>): readonly TableField[] =>
  fields.filter(({ unique, becameUnique }) => unique && becameUnique);

@Injectable()
export class RowLookUp {
  constructor(private readonly reads: Reads) {}

  async matching(
    table: Table,
    match: NewValues,
    visitedSite: Site,
    scope: RowScope = 'everything',
  ): Promise<readonly string[]> {
    if (scope === 'nothing') return [];
    const matches = comparisonsOf(table, match);
    return this.ids(table, scope === 'everything' ? matches : [...matches, scope], visitedSite);
  }

  async matchingBeyond(table: Table, match: NewValues, visitedSite: Site, scope: RowScope): Promise<readonly string[]> {
    if (scope === 'everything') return [];
    const matches = comparisonsOf(table, match);
    return this.ids(table, scope === 'nothing' ? matches : [...matches, { not: scope }], visitedSite, 50);
  }

  isMatch(table: Table, match: NewValues, row: Row): boolean {
    return matchesFilter(row, { all: comparisonsOf(table, match) });
  }

  /** @throws Refusal row-value-taken */
  async mustBeFree(table: Table, changes: readonly Looked[], visitedSite: Site): Promise<void> {
    const taken = await this.takenField(table, changes, visitedSite);
    if (taken !== undefined) refuse('row-value-taken', { field: taken.name });
  }

  /** Returns a field that became unique and in which another row has one of the values. */
  async takenField(table: Table, changes: readonly Looked[], visitedSite: Site): Promise<TableField | undefined> {
    for (const field of searchedFields(table)) {
      for (const { id, values } of changes) {
        if (isMissingValue(values[field.id])) continue;
        const found = await this.ids(table, [comparisonOf(field, values[field.id])], visitedSite);
        if (found.some((other) => other !== id)) return field;
      }
    }
    return undefined;
  }

  private async ids(table: Table, all: readonly Filter[], visitedSite: Site, limit = 2): Promise<readonly string[]> {
    const found = await this.reads.find<Row>(table.workspaceId, rows.collection.name, {
      where: { tableId: table.id },
      filter: { all },
      sort: [['id', 'asc']],
      limit,
      visitedSite,
    });
    return found.map(({ id }) => id);
  }
}

const comparisonsOf = ({ fields }: Table, match: NewValues): readonly RowComparison[] =>
  fields.filter(({ id }) => Object.hasOwn(match, id)).map((field) => comparisonOf(field, match[field.id]));

function comparisonOf(field: TableField, value: NewValues[string] | undefined): RowComparison {
  const compared = { field: `values.${field.id}`, kind: comparableOf(field.type)?.kind ?? ('json' as const) };
  return value === undefined || isMissingValue(value)
    ? { ...compared, operator: 'isEmpty' }
    : { ...compared, operator: 'eq', value };
}
