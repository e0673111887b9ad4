import { Injectable } from '@nestjs/common';
import { EventStore } from '../../ports/event-store.port.js';
import { ReadStore } from '../../ports/read-store.port.js';
import { Vault } from '../../ports/vault.port.js';

const most = 1_000;

/**
 * Caches answers until a process writes to the log, the read models or the vault, so a cached answer is never older
 * than a new read would be. If one of the stores cannot report changes, nothing is cached
 * ([0086](../decisions/0086-answers-are-kept-while-nothing-is-written.md)).
 */
@Injectable()
export class WhileUnchanged {
  private readonly answers = new Map<string, unknown>();
  private cachedVersion: number | undefined;

  constructor(
    private readonly log: EventStore,
    private readonly store: ReadStore,
    private readonly vault: Vault,
  ) {}

  /**
   * `key` must identify the question unambiguously. The answer must depend only on the three stores, and callers must
   * not modify it.
   */
  async cached<T>(key: string, read: () => Promise<T>): Promise<T> {
    const version = this.version();
    if (version === undefined) return read();
    if (version !== this.cachedVersion) this.answers.clear();
    this.cachedVersion = version;
    const known = this.answers.get(key);
    if (known !== undefined) return known as T;
    const answer = await read();
    // If something was written during the read, the answer can mix data from before and after the write, so it is not
    // cached.
    if (answer !== undefined && this.version() === version) this.remember(key, answer);
    return answer;
  }

  /** Changes with every write to one of the stores. Returns undefined in a dry run, or if a store has no version. */
  version(): number | undefined {
    const [log, store, vault] = [this.log.version(), this.store.version(), this.vault.version()];
    // Versions never decrease, so an equal sum means that no version has changed.
    return log === undefined || store === undefined || vault === undefined ? undefined : log + store + vault;
  }

  private remember(key: string, answer: unknown): void {
    if (this.answers.size >= most) this.answers.clear();
    this.answers.set(key, answer);
  }
}
