import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../../engine/operation/operation-context.js';
import { Reads } from '../../../../engine/scopes/reads.js';
import { canonicalJson } from '../../../../kernel/json/canonical-json.js';
import type { JsonObject } from '../../../../kernel/json/json.js';
import { comparisonsIn, type Filter, matcherOf } from '../../../../kernel/rows/row-filter.js';
import { readFilter } from '../reading/read-filter.js';
import { type Row, rows } from '../row.record.js';
import { Rows } from '../rows.api.js';
import { readable } from '../rules/row-access.js';
import { type RowCaller, RowCallers } from '../rules/row-callers.js';

export interface WatchedRows {
  readonly tableId: string;
  readonly baseId: string;
  readonly filter: Filter;
  matches(row: Row): boolean;
  /**
   * How many judgements one comparison with a row counts as: 1 for an ordinary filter, more for one with many comparisons
   * or values.
   */
  readonly weight: number;
  /** Equal for all callers who watch the same rows. A digest, because a filter can be long. */
  readonly key: string;
  /**
   * Whether a row can enter or leave the set without being changed itself, because the access rules look at other rows.
   */
  readonly followsRows: boolean;
}

export interface Watching {
  readonly call: OperationContext;
  readonly who: RowCaller;
  readonly baseId: string;
  readonly table: string;
  readonly filter: JsonObject | undefined;
}

/** The rules of the table and its fields apply, as they do when rows are read. */
@Injectable()
export class RowWatch {
  constructor(
    private readonly rows: Rows,
    private readonly callers: RowCallers,
    private readonly reads: Reads,
  ) {}

  /** @throws Refusal table-not-found, also if the caller may not read any row; unknown-field, invalid-input */
  async watched({ call, who, baseId, table: nameOrId, filter: sent }: Watching): Promise<WatchedRows> {
    // `shown` has only the fields that the caller may read, so a filter cannot use any other field.
    const shown = await this.rows.shownTable(call, who, { baseId, nameOrId });
    const filter = sent === undefined ? undefined : readFilter(shown, sent);
    const table = await this.rows.table(call, { id: shown.id });
    const within = readable(await this.callers.accessOf(who, table, ['read']), filter);
    const all = within === undefined ? nothing : (within.filter ?? everything);
    const rules = JSON.stringify([table.accessRules, table.fields.map(({ accessRules }) => accessRules)]);
    return {
      tableId: table.id,
      baseId,
      filter: all,
      matches: matcherOf(all),
      weight: weightOf(all),
      key: createHash('sha256').update(canonicalJson(all)).digest('base64'),
      followsRows: who.as === 'user' && /"(?:relationship|policy)"/.test(rules),
    };
  }

  async difference({ workspaceId, visitedSite }: OperationContext, one: WatchedRows, other: Filter, limit: number) {
    const found = await this.reads.find<Row>(workspaceId, rows.collection.name, {
      where: { tableId: one.tableId },
      filter: { all: [one.filter, { not: other }] },
      limit,
      visitedSite,
    });
    return found.map(({ id }) => id);
  }
}

/** Numbers of comparisons, and of values in the list of one comparison, that take about as long to judge. */
const [comparisonsTogether, valuesTogether] = [10, 1_000];

function weightOf(filter: Filter): number {
  const comparisons = comparisonsIn(filter);
  const values = comparisons.reduce((sum, { value }) => sum + (Array.isArray(value) ? value.length : 0), 0);
  return Math.max(1, Math.ceil(comparisons.length / comparisonsTogether + values / valuesTogether));
}

const everything: Filter = { all: [] };
const nothing: Filter = { any: [] };
