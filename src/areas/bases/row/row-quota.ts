import { Injectable } from '@nestjs/common';
import { PerDryRun } from '../../../engine/dry-run/dry-run.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Clock } from '../../../ports/clock.port.js';
import { refuse } from '../bases.refusals.js';
import type { Table } from '../table/table.record.js';
import { rows } from './row.record.js';

export const mostRowsOfTable = 1_000_000;

interface Count {
  readonly at: number;
  rows: number;
}

/**
 * Time for which a count is reused, because counting a million rows takes many milliseconds. The time is limited,
 * because other processes create rows too.
 */
const trustedMs = 60_000;
const nearlyFull = 0.95;
const trustedNearLimitMs = 2_000;
const mostTables = 1_000;

/** The limit is not exact, because other processes can create rows after the last count. */
@Injectable()
export class RowQuota {
  private readonly known = new PerDryRun(() => new Map<string, Count>());

  constructor(
    private readonly reads: Reads,
    private readonly clock: Clock,
  ) {}

  /**
   * Call this before rows are created.
   * @throws Refusal table-full
   */
  async mustHaveRoom({ workspaceId, id }: Pick<Table, 'workspaceId' | 'id'>, added: number): Promise<void> {
    const now = this.clock.now();
    const known = this.known.now.get(id);
    const count =
      known !== undefined && this.isTrusted(known, now)
        ? known
        : { at: now, rows: await this.reads.count(workspaceId, rows.collection.name, { tableId: id }) };
    this.known.now.delete(id);
    const oldest = this.known.now.size >= mostTables ? this.known.now.keys().next().value : undefined;
    if (oldest !== undefined) this.known.now.delete(oldest);
    this.known.now.set(id, count);
    if (count.rows + added > mostRowsOfTable) {
      this.known.now.delete(id);
      refuse('table-full', { most: mostRowsOfTable });
    }
    count.rows += added;
  }

  private isTrusted({ at, rows: counted }: Count, now: number): boolean {
    return now - at < (counted < mostRowsOfTable * nearlyFull ? trustedMs : trustedNearLimitMs);
  }
}
