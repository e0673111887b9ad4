import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Environment } from '../../config/environment.js';
import { SubjectCipher } from '../../kernel/event/subject-cipher.js';
import { Clock } from '../../ports/clock.port.js';
import { Vault } from '../../ports/vault.port.js';
import { PerDryRun } from '../dry-run/dry-run.js';

export interface Subject {
  readonly workspaceId: string;
  readonly category: string;
  readonly id: string;
}

interface CachedKey {
  readonly cipher: SubjectCipher;
  readonly until: number;
}

/**
 * Time for which a cached key is used if several processes share the stores. It is short, because another process can
 * destroy the key.
 */
const trustedMs = 900;
const mostCached = 5_000;

/** Destroying a key overwrites its vault entry with an empty one, so that no process creates the key again. */
@Injectable()
export class SubjectKeys {
  private readonly ciphers = new PerDryRun(() => new Map<string, CachedKey>());
  private readonly pending = new PerDryRun(() => new Map<string, Promise<SubjectCipher | undefined>>());

  constructor(
    private readonly vault: Vault,
    private readonly clock: Clock,
    private readonly environment: Environment,
  ) {}

  /** Returns undefined if the key is not cached. Synchronous, because a list can need hundreds of keys. */
  cached(subject: Subject): SubjectCipher | undefined {
    return this.known(entryOf(subject));
  }

  /**
   * Returns undefined if the key was destroyed or never created.
   * @throws VaultUnavailable, VaultSealBroken
   */
  async find(subject: Subject): Promise<SubjectCipher | undefined> {
    const name = entryOf(subject);
    const known = this.known(name);
    if (known !== undefined) return known;
    const pending = this.pending.now.get(name);
    if (pending !== undefined) return pending;
    const now = this.clock.now();
    const found = this.vault.open(name).then((key) => this.remember(name, key, now));
    this.pending.now.set(name, found);
    return found.finally(() => {
      if (this.pending.now.get(name) === found) this.pending.now.delete(name);
    });
  }

  /**
   * Returns undefined if the key was destroyed.
   * @throws VaultUnavailable, VaultSealBroken
   */
  async create(subject: Subject): Promise<SubjectCipher | undefined> {
    const name = entryOf(subject);
    const known = this.known(name);
    if (known !== undefined) return known;
    const askedAt = this.clock.now();
    const present = await this.vault.open(name);
    if (present !== undefined) return this.remember(name, present, askedAt);
    const key = randomBytes(32);
    if (await this.vault.seal(name, key, { ifAbsent: true })) return this.remember(name, key, askedAt);
    return this.remember(name, await this.vault.open(name), askedAt);
  }

  /**
   * When the promise resolves, the key is erased from the vault's files. Idempotent.
   * @throws VaultUnavailable
   */
  async destroy(subject: Subject): Promise<void> {
    const name = entryOf(subject);
    await this.vault.seal(name, new Uint8Array(0));
    this.pending.now.delete(name);
    this.ciphers.now.delete(name);
  }

  private known(name: string): SubjectCipher | undefined {
    const cached = this.ciphers.now.get(name);
    return cached !== undefined && this.clock.now() < cached.until ? cached.cipher : undefined;
  }

  /**
   * The time in the cache is counted from `askedAt`, when the vault was queried, because the key may have been
   * destroyed since then.
   */
  private remember(name: string, key: Uint8Array | undefined, askedAt: number): SubjectCipher | undefined {
    const before = this.ciphers.now.get(name)?.cipher;
    this.ciphers.now.delete(name);
    const cipher = key === undefined || key.length === 0 ? undefined : (before?.ifOf(key) ?? new SubjectCipher(key));
    // A missing key is not cached, because it can be created at any time.
    if (cipher === undefined) return undefined;
    const oldest = this.ciphers.now.size >= mostCached ? this.ciphers.now.keys().next().value : undefined;
    if (oldest !== undefined) this.ciphers.now.delete(oldest);
    this.ciphers.now.set(name, {
      cipher,
      until: this.environment.shared ? askedAt + trustedMs : Number.POSITIVE_INFINITY,
    });
    return cipher;
  }
}

export const entryOf = ({ workspaceId, category, id }: Subject) => `personal/${workspaceId}/${category}.${id}`;
