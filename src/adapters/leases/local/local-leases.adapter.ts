import type { JsonObject } from '../../../kernel/json/json.js';
import { Leases, type LivingProcess } from '../../../ports/leases.port.js';

/** For a single process, which gets every lease. The lock of its data directory excludes other processes. */
export class LocalLeases extends Leases {
  override readonly silenceMs = 0;
  private readonly notes = new Map<string, JsonObject>();
  private readonly held = new Map<string, string>();

  override async beat(process: string, note: JsonObject): Promise<boolean> {
    this.notes.set(process, note);
    return true;
  }

  override async processes(): Promise<readonly LivingProcess[]> {
    return [...this.notes].map(([name, note]) => ({ name, note, silent: false }));
  }

  override async acquire(lease: string, process: string): Promise<boolean> {
    const holder = this.held.get(lease);
    if (holder !== undefined && holder !== process && this.notes.has(holder)) return false;
    this.held.set(lease, process);
    return true;
  }

  override async release(lease: string, process: string): Promise<void> {
    if (this.held.get(lease) === process) this.held.delete(lease);
  }

  override async holders(): Promise<ReadonlyMap<string, string>> {
    return new Map(this.held);
  }

  override async giveUp(): Promise<boolean> {
    return false;
  }

  override async leave(process: string): Promise<void> {
    this.notes.delete(process);
    for (const [lease, holder] of this.held) if (holder === process) this.held.delete(lease);
  }

  override async close(): Promise<void> {}
}
