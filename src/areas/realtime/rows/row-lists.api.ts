import { Injectable } from '@nestjs/common';
import { Metrics } from '../../../engine/health/metrics.js';
import { matchesFilter } from '../../../kernel/rows/row-filter.js';
import { Clock } from '../../../ports/clock.port.js';
import { type RowChange, RowChanges } from '../../bases/row/watch/row-changes.api.js';
import type { WatchedRows } from '../../bases/row/watch/row-watch.api.js';

export type RowOp = 'created' | 'changed' | 'gone';

export interface RowList {
  readonly projectId: string;
  readonly watched: WatchedRows;
  report(op: RowOp, rowId: string): void;
  /** Makes the visitor's client read the whole list again. */
  reload(): void;
  stale(): void;
}

/** Changes are collected for this long, so that each row is reported once (Sites supplement, Realtime). */
const gatheredMs = 100;
const followedMs = 1_000;
/**
 * Maximum number of changed rows that are compared with one list within `pausedMs`. If there are more, the client must
 * read the whole list again (Sites supplement, Realtime).
 */
const mostJudged = 1_000;
const pausedMs = 1_000;

type States = Pick<RowChange, 'before' | 'after'>;

interface ReportedChange {
  readonly op: RowOp;
  readonly rowId: string;
}

@Injectable()
export class RowLists {
  private readonly byTable = new Map<string, Set<RowList>>();
  private gathered = new Map<string, Map<string, States>>();
  private touched = new Set<string>();
  /**
   * Number of rows compared with each list within the current `pausedMs`. Infinity means that the client must read the
   * whole list again.
   */
  private judged = new Map<RowList, number>();
  private isGathering = false;
  private isFollowing = false;
  private isCounting = false;
  private count = 0;

  constructor(
    private readonly changes: RowChanges,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    changes.on({
      wants: (tableId) => this.byTable.has(tableId),
      changed: (changed) => this.gather(changed),
      touched: (projectId) => this.follow(projectId),
    });
    metrics.gauge(
      'countersign_realtime_row_lists',
      'Number of lists of rows that visitors follow.',
      [],
      async (gauge) => {
        gauge.set(this.count);
      },
    );
  }

  /** @throws if the log cannot be reached */
  begin(): Promise<void> {
    return this.changes.begin();
  }

  /** The table of the list must not change. The returned function removes the list and must be called only once. */
  add(list: RowList): () => void {
    const { tableId } = list.watched;
    const lists = this.byTable.get(tableId) ?? new Set();
    this.byTable.set(tableId, lists.add(list));
    this.count += 1;
    return () => {
      this.count -= 1;
      lists.delete(list);
      this.judged.delete(list);
      if (lists.size === 0 && this.byTable.get(tableId) === lists) this.byTable.delete(tableId);
    };
  }

  private gather(changes: readonly RowChange[]): void {
    for (const { tableId, rowId, before, after } of changes) {
      const ofTable = this.gathered.get(tableId) ?? new Map<string, States>();
      this.gathered.set(tableId, ofTable);
      const known = ofTable.get(rowId);
      const isErased = before === 'erased' || known?.before === 'erased';
      ofTable.set(rowId, { before: isErased ? 'erased' : known === undefined ? before : known.before, after });
    }
    if (this.isGathering) return;
    this.isGathering = true;
    this.clock.after(gatheredMs, () => {
      this.isGathering = false;
      const all = this.gathered;
      this.gathered = new Map();
      for (const [tableId, rows] of all) this.reportTable(tableId, rows);
    });
  }

  private reportTable(tableId: string, rows: ReadonlyMap<string, States>): void {
    // Most visitors of a table may see the same rows. Their lists have the same key and share one result.
    const judged = new Map<string, readonly ReportedChange[] | undefined>();
    for (const list of [...(this.byTable.get(tableId) ?? [])]) {
      const { key, filter } = list.watched;
      if (!this.mayJudge(list, rows.size)) continue;
      if (!judged.has(key)) judged.set(key, changesToReport(rows, filter));
      const changes = judged.get(key);
      if (changes === undefined) list.reload();
      else for (const { op, rowId } of changes) list.report(op, rowId);
    }
  }

  /** Returns false if a comparison of these rows would exceed `mostJudged`. */
  private mayJudge(list: RowList, rows: number): boolean {
    const before = this.judged.get(list) ?? 0;
    if (before === Number.POSITIVE_INFINITY) return false;
    const fits = before + rows <= mostJudged;
    this.judged.set(list, fits ? before + rows : Number.POSITIVE_INFINITY);
    if (!this.isCounting) {
      this.isCounting = true;
      this.clock.after(pausedMs, () => this.countAnew());
    }
    return fits;
  }

  private countAnew(): void {
    const { judged } = this;
    this.isCounting = false;
    this.judged = new Map();
    for (const [list, number] of judged) if (number === Number.POSITIVE_INFINITY) list.reload();
  }

  private follow(projectId: string): void {
    this.touched.add(projectId);
    if (this.isFollowing) return;
    this.isFollowing = true;
    this.clock.after(followedMs, () => {
      this.isFollowing = false;
      const sites = this.touched;
      this.touched = new Set();
      for (const lists of this.byTable.values()) {
        for (const list of lists) if (list.watched.followsRows && sites.has(list.projectId)) list.stale();
      }
    });
  }
}

/** Returns the changes to report, or undefined if it is unknown whether the visitor saw one of the rows. */
function changesToReport(
  rows: ReadonlyMap<string, States>,
  filter: WatchedRows['filter'],
): readonly ReportedChange[] | undefined {
  const changes: ReportedChange[] = [];
  for (const [rowId, { before, after }] of rows) {
    if (before === 'erased') return undefined;
    const [was, is] = [before, after].map((row) => row !== undefined && matchesFilter(row, filter));
    if (was || is) changes.push({ op: was && is ? 'changed' : is ? 'created' : 'gone', rowId });
  }
  return changes;
}
