import { Injectable } from '@nestjs/common';
import { EventStore } from '../../ports/event-store.port.js';
import { ReadStore } from '../../ports/read-store.port.js';
import { Vault } from '../../ports/vault.port.js';

const most = 1_000;

/**
 * Caches answers as long as no process writes to the log, the read models or the vault, so that the same question of
 * many requests is answered once. A cached answer is never older than a new read would be. If a store cannot report
 * changes, nothing is cached ([0086](../decisions/0086-answers-are-kept-while-nothing-is-written.md)).
 */
@Injectable()
export class WhileUnchanged {
  private readonly cached = new Map<string, unknown>();
  /** The version at which `cached` was filled. */
  private cachedVersion: number | undefined;

  constructor(
    private readonly log: EventStore,
    private readonly store: ReadStore,
    private readonly vault: Vault,
  ) {}

  /**
   * Returns the cached answer or reads it. `key` must identify the question unambiguously. The answer must depend on
   * the three stores alone and must not be modified.
   */
  async of<T>(key: string, read: () => Promise<T>): Promise<T> {
    const version = this.version();
    if (version === undefined) return read();
    if (version !== this.cachedVersion) this.cached.clear();
    this.cachedVersion = version;
    const known = this.cached.get(key);
    if (known !== undefined) return known as T;
    const answer = await read();
    // Part of the answer may have been read before a write and part after it.
    if (answer !== undefined && this.version() === version) this.keep(key, answer);
    return answer;
  }

  /**
   * Returns a number that is unchanged as long as nothing is written. Undefined if a store has no version, or in a dry
   * run.
   */
  version(): number | undefined {
    const [log, store, vault] = [this.log.version(), this.store.version(), this.vault.version()];
    // No version ever decreases, so an equal sum means that all three are unchanged.
    return log === undefined || store === undefined || vault === undefined ? undefined : log + store + vault;
  }

  private keep(key: string, answer: unknown): void {
    if (this.cached.size >= most) this.cached.clear();
    this.cached.set(key, answer);
  }
}
