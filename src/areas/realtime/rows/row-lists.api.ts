import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Metrics } from '../../../engine/health/metrics.js';
import { Clock } from '../../../ports/clock.port.js';
import { type RowChange, RowChanges } from '../../bases/row/watch/row-changes.api.js';
import type { WatchedRows } from '../../bases/row/watch/row-watch.api.js';

export type RowOp = 'created' | 'changed' | 'gone';

export interface RowList {
  readonly projectId: string;
  /** The connection of a visitor, which can follow several lists. `mostJudged` limits all of them together. */
  readonly subscriber: object;
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
 * Maximum number of changed rows that are compared with the lists of one subscriber within `pausedMs`, each multiplied by
 * the weight of the list. If there are more, the client must read these lists again (Sites supplement, Realtime).
 */
const mostJudged = 1_000;
const pausedMs = 1_000;
/** After this many comparisons, other work of the process has its turn. Counted in the same way as `mostJudged`. */
const mostInOneTurn = 500;

type States = Pick<RowChange, 'before' | 'after'>;

interface Judgements {
  count: number;
  /** Lists whose changes are no longer compared, because that would exceed `mostJudged`. */
  readonly missed: Set<RowList>;
}

interface ReportedChange {
  readonly op: RowOp;
  readonly rowId: string;
}

@Injectable()
export class RowLists {
  private readonly byTable = new Map<string, Set<RowList>>();
  private readonly gathered = new Map<string, Map<string, States>>();
  /** Tables whose changes are being reported. Later changes of them wait, so that reports remain in order. */
  private readonly reporting = new Set<string>();
  private inThisTurn = 0;
  private turn: Promise<void> = Promise.resolve();
  private touched = new Set<string>();
  /** Comparisons for each subscriber within the current `pausedMs`. */
  private judged = new Map<object, Judgements>();
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
      this.judged.get(list.subscriber)?.missed.delete(list);
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
    this.reportSoon();
  }

  private reportSoon(): void {
    if (this.isGathering) return;
    this.isGathering = true;
    this.clock.after(gatheredMs, () => {
      this.isGathering = false;
      this.inThisTurn = 0;
      for (const [tableId, rows] of [...this.gathered]) {
        if (this.reporting.has(tableId)) continue;
        this.gathered.delete(tableId);
        void this.reportTable(tableId, rows);
      }
    });
  }

  private async reportTable(tableId: string, rows: ReadonlyMap<string, States>): Promise<void> {
    this.reporting.add(tableId);
    try {
      const lists = this.byTable.get(tableId) ?? new Set();
      // Most visitors of a table may see the same rows. Their lists have the same key and share one result.
      const judged = new Map<string, readonly ReportedChange[] | undefined>();
      for (const list of [...lists]) {
        if (this.inThisTurn >= mostInOneTurn) await this.ownTurn();
        if (!lists.has(list)) continue;
        const { watched } = list;
        const count = rows.size * watched.weight;
        if (!this.mayJudge(list, count)) continue;
        this.inThisTurn += count;
        if (!judged.has(watched.key)) judged.set(watched.key, changesToReport(rows, watched));
        const changes = judged.get(watched.key);
        if (changes === undefined) list.reload();
        else for (const { op, rowId } of changes) list.report(op, rowId);
      }
    } finally {
      this.reporting.delete(tableId);
      if (this.gathered.has(tableId)) this.reportSoon();
    }
  }

  /** Tables wait one behind another, so that many busy tables together take no more of a turn than one. */
  private ownTurn(): Promise<void> {
    this.turn = this.turn.then(async () => {
      await nextTurn();
      this.inThisTurn = 0;
    });
    return this.turn;
  }

  /** Returns false if `count` more comparisons for the list's subscriber would exceed `mostJudged`. */
  private mayJudge(list: RowList, count: number): boolean {
    const judged = this.judged.get(list.subscriber) ?? { count: 0, missed: new Set() };
    this.judged.set(list.subscriber, judged);
    if (!this.isCounting) {
      this.isCounting = true;
      this.clock.after(pausedMs, () => this.countAnew());
    }
    const fits = judged.missed.size === 0 && judged.count + count <= mostJudged;
    if (fits) judged.count += count;
    else judged.missed.add(list);
    return fits;
  }

  private countAnew(): void {
    const { judged } = this;
    this.isCounting = false;
    this.judged = new Map();
    for (const { missed } of judged.values()) for (const list of missed) list.reload();
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
  watched: WatchedRows,
): readonly ReportedChange[] | undefined {
  const changes: ReportedChange[] = [];
  for (const [rowId, { before, after }] of rows) {
    if (before === 'erased') return undefined;
    const [was, is] = [before, after].map((row) => row !== undefined && watched.matches(row));
    if (was || is) changes.push({ op: was && is ? 'changed' : is ? 'created' : 'gone', rowId });
  }
  return changes;
}
