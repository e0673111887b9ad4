import { Calls, systemActor } from '../../../engine/operation/calls.js';
import type { Policies } from '../../../kernel/condition/condition.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import type { SiteVisitor } from '../../app-users/site-pass/site-passes.api.js';
import type { RowCaller } from '../../bases/row/rows.api.js';
import type { RowWatch, WatchedRows } from '../../bases/row/watch/row-watch.api.js';
import type { RowList, RowLists, RowOp } from '../rows/row-lists.api.js';

export interface ListRequest {
  readonly baseId: string;
  /** Id or name. */
  readonly table: string;
  readonly filter: JsonObject | undefined;
}

export interface ListTools {
  readonly watch: RowWatch;
  readonly lists: RowLists;
  readonly calls: Calls;
}

interface Telling {
  /** See `RowList`. */
  readonly subscriber: object;
  row(op: RowOp, rowId: string): void;
  reload(): void;
  stale(): void;
}

/**
 * If more rows than this appear or disappear because of a change of rights, they are not reported one by one. The
 * client must read the whole list again instead.
 */
const mostReported = 1_000;
const reader = systemActor('realtime');

export class WatchedList implements RowList {
  private end: () => void = () => undefined;
  /** Whether the client may not know all rows, because those that appeared or disappeared could not be determined. */
  private isBehind = false;

  private constructor(
    readonly projectId: string,
    public watched: WatchedRows,
    readonly asked: ListRequest,
    private readonly telling: Telling,
    private readonly tools: ListTools,
  ) {}

  /** @throws Refusal table-not-found, also if the visitor may not read the table; unknown-field, invalid-input */
  static async begin(asked: ListRequest, who: SiteVisitor, policies: Policies, telling: Telling, tools: ListTools) {
    await tools.lists.begin();
    const watched = await tools.watch.watched({ ...asked, ...askedBy(who, policies, tools) });
    const list = new WatchedList(who.projectId, watched, asked, telling, tools);
    list.end = tools.lists.add(list);
    return list;
  }

  get subscriber(): object {
    return this.telling.subscriber;
  }

  report(op: RowOp, rowId: string): void {
    this.telling.row(op, rowId);
  }

  reload(): void {
    this.isBehind = false;
    this.telling.reload();
  }

  stale(): void {
    this.telling.stale();
  }

  /**
   * Reports the rows that appear or disappear because of changed rights. If that failed before, makes the client read the
   * whole list again instead, because rows can have changed since then. If the visitor may no longer read the table, ends
   * the list and returns the refusal.
   * @throws if the rows cannot be read at present; call again later
   */
  async judgeAgain(who: SiteVisitor, policies: Policies): Promise<Refusal | undefined> {
    const before = this.watched;
    const asked = askedBy(who, policies, this.tools);
    let refusal: Refusal | undefined;
    try {
      // By its id, because another table can have the name now.
      this.watched = await this.tools.watch.watched({ ...this.asked, table: before.tableId, ...asked });
    } catch (error) {
      if (!(error instanceof Refusal) || error.kind === 'unavailable') throw error;
      refusal = error;
      this.watched = { ...before, filter: { any: [] }, matches: () => false, key: '' };
    }
    if (this.isBehind) this.reload();
    else if (this.watched.key !== before.key) await this.reportDifference(asked.call, before);
    if (refusal !== undefined) this.close();
    return refusal;
  }

  close(): void {
    this.end();
    this.end = () => undefined;
  }

  private async reportDifference(call: ReturnType<Calls['visiting']>, before: WatchedRows): Promise<void> {
    const { watched } = this;
    const { watch } = this.tools;
    this.isBehind = true;
    const [gone, come] = await Promise.all([
      watch.difference(call, before, watched.filter, mostReported + 1),
      watch.difference(call, watched, before.filter, mostReported + 1),
    ]);
    this.isBehind = false;
    if (gone.length + come.length > mostReported) return this.reload();
    for (const rowId of gone) this.report('gone', rowId);
    for (const rowId of come) this.report('created', rowId);
  }
}

function askedBy(who: SiteVisitor, policies: Policies, { calls }: ListTools) {
  const { workspaceId, projectId: id, visitor } = who;
  const caller: RowCaller = visitor.member === undefined ? { as: 'user', asking: visitor, policies } : { as: 'owner' };
  return { call: calls.visiting({ workspaceId, id }, reader, 'site/subscribeRows'), who: caller };
}
