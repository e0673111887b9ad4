import { Injectable } from '@nestjs/common';
import { EventStore } from '../../ports/event-store.port.js';
import { ReadStore } from '../../ports/read-store.port.js';
import { Vault } from '../../ports/vault.port.js';

/** Answers kept at once. */
const most = 1_000;

/**
 * Keeps what was read for as long as nothing is written to the log, the read models and the vault, by whichever process,
 * so that the same questions of many requests are answered once. What is kept is never older than a new reading would be.
 * Where a store cannot tell, nothing is kept ([0086](../decisions/0086-answers-are-kept-while-nothing-is-written.md)).
 */
@Injectable()
export class WhileUnchanged {
  private readonly kept = new Map<string, unknown>();
  /** When the first of `kept` was read. */
  private seen: number | undefined;

  constructor(
    private readonly log: EventStore,
    private readonly store: ReadStore,
    private readonly vault: Vault,
  ) {}

  /** `key`: what is asked, without ambiguity. The answer must depend on the three stores alone, and nobody may change it. */
  async of<T>(key: string, read: () => Promise<T>): Promise<T> {
    const version = this.version();
    if (version === undefined) return read();
    if (version !== this.seen) this.kept.clear();
    this.seen = version;
    const known = this.kept.get(key);
    if (known !== undefined) return known as T;
    const answer = await read();
    // What was written meanwhile may be in one part of it and not in another.
    if (answer !== undefined && this.version() === version) this.keep(key, answer);
    return answer;
  }

  /** The same number as before: nothing was written in between. Undefined: one of them cannot tell, or this is a trial. */
  version(): number | undefined {
    const [log, store, vault] = [this.log.version(), this.store.version(), this.vault.version()];
    // Each only grows.
    return log === undefined || store === undefined || vault === undefined ? undefined : log + store + vault;
  }

  private keep(key: string, answer: unknown): void {
    if (this.kept.size >= most) this.kept.clear();
    this.kept.set(key, answer);
  }
}
