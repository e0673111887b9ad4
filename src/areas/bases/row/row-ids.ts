import { Injectable } from '@nestjs/common';
import { PerDryRun } from '../../../engine/dry-run/dry-run.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { PersonalData } from '../../../engine/personal-data/personal-data.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { Ids } from '../../../ports/ids.port.js';
import { rows } from './row.record.js';

interface Pool {
  readonly ready: string[];
  size: number;
  filling: boolean;
}

const smallest = 8;
const largest = 512;
/**
 * Maximum number of rows for which a call gets prepared keys. The keys of more rows are created together, so prepared
 * keys would save nothing.
 */
const few = 8;
const mostPools = 200;

/**
 * Prepares row ids together with their encryption keys. Creating a row then waits only for the disk write of its event,
 * because its key is already on disk. When the process ends, unused keys remain in the vault.
 */
@Injectable()
export class RowIds {
  private readonly pools = new PerDryRun(() => new Map<string, Pool>());

  constructor(
    private readonly ids: Ids,
    private readonly personal: PersonalData,
  ) {}

  /** Repeatable commands do not use the pool, because a repetition must get the same ids. */
  take(call: OperationContext, count: number): readonly string[] {
    const pool = call.repeatable || count > few ? undefined : this.poolOf(call.workspaceId);
    return Array.from({ length: count }, () => this.next(call, pool));
  }

  private next(call: OperationContext, pool: Pool | undefined): string {
    const ready = pool?.ready.shift();
    if (pool !== undefined && pool.ready.length < pool.size / 2) void this.fill(call.workspaceId, pool);
    return ready ?? call.newId('row');
  }

  private poolOf(workspaceId: string): Pool {
    const known = this.pools.now.get(workspaceId) ?? { ready: [], size: smallest, filling: false };
    this.pools.now.delete(workspaceId);
    const oldest = this.pools.now.size >= mostPools ? this.pools.now.keys().next().value : undefined;
    if (oldest !== undefined) this.pools.now.delete(oldest);
    this.pools.now.set(workspaceId, known);
    return known;
  }

  private async fill(workspaceId: string, pool: Pool): Promise<void> {
    if (pool.filling) return;
    pool.filling = true;
    if (pool.ready.length === 0) pool.size = Math.min(largest, pool.size * 2);
    try {
      const made = Array.from({ length: pool.size }, () => this.ids.newId('row'));
      await this.personal.prepare(made.map((id) => streamOf(rows.category, workspaceId, id)));
      pool.ready.push(...made);
    } catch {
      // The error is ignored here. If the vault is unavailable, encrypting the next row fails too.
    } finally {
      pool.filling = false;
    }
  }
}
