import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import { type Filter, matchesFilter, type RowComparison } from '../../../kernel/rows/row-filter.js';
import { refuse } from '../bases.refusals.js';
import type { Table, TableField } from '../table/table.record.js';
import { comparableOf } from './reading/comparable-fields.js';
import type { NewValues } from './row.js';
import { isMissingValue, type Row, rows } from './row.record.js';
import type { RowScope } from './rules/related-rows.js';

/** Id of the site that the caller visits. Undefined if the caller is a member or code of the workspace. */
type Site = string | undefined;

@Injectable()
export class RowLookUp {
  constructor(private readonly reads: Reads) {}

  /**
   * Returns the ids of rows in the scope that have all these values. At most two are returned, because an upsert that
   * matches several rows is refused.
   */
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

  /** Returns the ids of at most fifty rows outside the scope that have all these values, sorted by id. */
  async matchingBeyond(table: Table, match: NewValues, visitedSite: Site, scope: RowScope): Promise<readonly string[]> {
    if (scope === 'everything') return [];
    const matches = comparisonsOf(table, match);
    return this.ids(table, scope === 'nothing' ? matches : [...matches, { not: scope }], visitedSite, 50);
  }

  isMatch(table: Table, match: NewValues, row: Row): boolean {
    return matchesFilter(row, { all: comparisonsOf(table, match) });
  }

  /**
   * Checks values for fields that became unique after rows existed. The values of those rows are not reserved, so the
   * rows are searched.
   * @throws Refusal row-value-taken
   */
  async mustBeFree(
    table: Table,
    changes: readonly { readonly id?: string; readonly values: NewValues }[],
    visitedSite: Site,
  ): Promise<void> {
    const late = table.fields.filter(({ unique, becameUnique }) => unique && becameUnique);
    for (const field of late) {
      for (const { id, values } of changes) {
        if (isMissingValue(values[field.id])) continue;
        const found = await this.ids(table, [comparisonOf(field, values[field.id])], visitedSite);
        if (found.some((other) => other !== id)) refuse('row-value-taken', { field: field.name });
      }
    }
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
