import type { JsonObject } from '../../../kernel/json/json.js';
import { Leases, type LivingProcess } from '../../../ports/leases.port.js';

/**
 * The process gets every lease that it requests, because the lock of the data directory excludes other processes. Only
 * tests use several process names.
 */
export class LocalLeases extends Leases {
  override readonly silenceMs = 0;
  private readonly notes = new Map<string, JsonObject>();
  private readonly leases = new Map<string, string>();

  override async beat(process: string, note: JsonObject): Promise<boolean> {
    this.notes.set(process, note);
    return true;
  }

  override async processes(): Promise<readonly LivingProcess[]> {
    return [...this.notes].map(([name, note]) => ({ name, note, silent: false }));
  }

  override async acquire(lease: string, process: string): Promise<boolean> {
    const holder = this.leases.get(lease);
    if (holder !== undefined && holder !== process && this.notes.has(holder)) return false;
    this.leases.set(lease, process);
    return true;
  }

  override async release(lease: string, process: string): Promise<void> {
    if (this.leases.get(lease) === process) this.leases.delete(lease);
  }

  override async holders(): Promise<ReadonlyMap<string, string>> {
    return new Map(this.leases);
  }

  override async giveUp(): Promise<boolean> {
    return false;
  }

  override async leave(process: string): Promise<void> {
    this.notes.delete(process);
    for (const [lease, holder] of this.leases) if (holder === process) this.leases.delete(lease);
  }

  override async close(): Promise<void> {}
}
