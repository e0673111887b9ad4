import { Injectable } from '@nestjs/common';
import { PerTrial } from '../../../engine/dry-run/trial.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Clock } from '../../../ports/clock.port.js';
import { refuse } from '../bases.refusals.js';
import type { Table } from '../table/table.record.js';
import { rows } from './row.record.js';

export const mostRows = 1_000_000;

interface Count {
  readonly at: number;
  /** As the read model said, and what was made here since. */
  rows: number;
}

/** How long a count is believed. Counting a million rows takes many milliseconds, and other processes make rows, too. */
const believedMs = 60_000;
/** Near the limit it is counted more often. */
const nearlyFull = 0.95;
const believedNearMs = 2_000;
const mostKept = 1_000;

/** How many rows a table may have. The count may be some seconds behind other processes; the limit is not exact. */
@Injectable()
export class RowRoom {
  private readonly known = new PerTrial(() => new Map<string, Count>());

  constructor(
    private readonly reads: Reads,
    private readonly clock: Clock,
  ) {}

  /** Before rows are made. @throws Refusal table-full */
  async mustHaveRoom({ workspaceId, id }: Pick<Table, 'workspaceId' | 'id'>, wanted: number): Promise<void> {
    const now = this.clock.now();
    const known = this.known.now.get(id);
    const count =
      known !== undefined && this.isBelieved(known, now)
        ? known
        : { at: now, rows: await this.reads.count(workspaceId, rows.collection.name, { tableId: id }) };
    this.known.now.delete(id);
    const oldest = this.known.now.size >= mostKept ? this.known.now.keys().next().value : undefined;
    if (oldest !== undefined) this.known.now.delete(oldest);
    this.known.now.set(id, count);
    if (count.rows + wanted > mostRows) {
      this.known.now.delete(id);
      refuse('table-full', { most: mostRows });
    }
    count.rows += wanted;
  }

  private isBelieved({ at, rows: counted }: Count, now: number): boolean {
    return now - at < (counted < mostRows * nearlyFull ? believedMs : believedNearMs);
  }
}
