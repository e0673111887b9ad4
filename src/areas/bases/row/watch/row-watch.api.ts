import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../../engine/operation/operation-context.js';
import { Reads } from '../../../../engine/scopes/reads.js';
import { canonicalJson } from '../../../../kernel/json/canonical-json.js';
import type { JsonObject } from '../../../../kernel/json/json.js';
import type { Filter } from '../../../../kernel/rows/row-filter.js';
import { readFilter } from '../reading/read-filter.js';
import { type Row, rows } from '../row.record.js';
import { Rows } from '../rows.api.js';
import { readable } from '../rules/row-access.js';
import { type RowCaller, RowCallers } from '../rules/row-callers.js';

/**
 * The rows that a caller watches: those that match the filter and that the caller may read under the present rules and
 * facts.
 */
export interface WatchedRows {
  readonly tableId: string;
  readonly baseId: string;
  readonly filter: Filter;
  /** The same for all callers who watch the same rows. */
  readonly key: string;
  /** Whether the set depends on other rows. */
  readonly followsRows: boolean;
}

export interface Watching {
  readonly call: OperationContext;
  readonly who: RowCaller;
  readonly baseId: string;
  /** The id or name of the table. */
  readonly table: string;
  readonly filter: JsonObject | undefined;
}

/** Determines which rows of a table a caller may see, as a filter. Table and field rules apply, as for every read. */
@Injectable()
export class RowWatch {
  constructor(
    private readonly rows: Rows,
    private readonly callers: RowCallers,
    private readonly reads: Reads,
  ) {}

  /** @throws Refusal table-not-found, also if the caller may read nothing of the table; unknown-field, invalid-input */
  async watched({ call, who, baseId, table: nameOrId, filter: sent }: Watching): Promise<WatchedRows> {
    // A field that the caller may never read is treated as if it did not exist.
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
      key: canonicalJson(all),
      followsRows: who.as === 'user' && /"(?:relationship|policy)"/.test(rules),
    };
  }

  /** Returns the ids of rows that are in the first set but not in the second, at most `limit`. */
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

const everything: Filter = { all: [] };
const nothing: Filter = { any: [] };
