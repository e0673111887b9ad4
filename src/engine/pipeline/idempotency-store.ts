import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../ports/clock.port.js';
import { Leases } from '../../ports/leases.port.js';
import { Vault } from '../../ports/vault.port.js';
import { ProcessName } from '../cluster/process-name.js';
import { PerDryRun } from '../dry-run/dry-run.js';

/** State of the first call with an idempotency key. */
export type IdempotencyState<Answer> =
  /** `first` means that the key was never used before. */
  | { readonly state: 'new'; readonly first: boolean }
  | { readonly state: 'going' }
  | { readonly state: 'other' }
  | { readonly state: 'answered'; readonly answer: Answer };

interface Stored<Answer> {
  readonly fingerprint: string;
  readonly answer?: Answer;
  /** The process that handles the call, and since when, in milliseconds since 1970. Omitted after a fault. */
  readonly by?: { readonly process: string; readonly since: number };
}

/** No call takes this long, in milliseconds. An older claim was left by a process that could not withdraw it. */
const longestCallMs = 15 * 60_000;

/** Longer than the seven days for which the contract promises that calls can be repeated. */
const retentionMs = 8 * 24 * 3_600_000;

/**
 * Stores the sealed responses of calls with an idempotency key. If a process dies before it responds, the next call
 * finds no response and runs again; commands find what they already recorded by its ids.
 */
@Injectable()
export class IdempotencyStore {
  /** The calls that this process is handling, with their fingerprints. */
  private readonly inProgress = new PerDryRun(() => new Map<string, string>());

  constructor(
    private readonly vault: Vault,
    private readonly clock: Clock,
    private readonly process: ProcessName,
    private readonly leases: Leases,
  ) {}

  /** Claims the call identified by `key`. `content` must be the same when the call is repeated. */
  async begin<Answer>(key: string, content: string | Uint8Array): Promise<IdempotencyState<Answer>> {
    const name = nameOf(key);
    const fingerprint = fingerprintOf(content);
    const first = this.inProgress.now.get(name);
    if (first !== undefined) return { state: first === fingerprint ? 'going' : 'other' };
    this.inProgress.now.set(name, fingerprint);
    try {
      const receipt = await this.claim<Answer>(name, fingerprint);
      if (receipt.state !== 'new') this.inProgress.now.delete(name);
      return receipt;
    } catch (error) {
      this.inProgress.now.delete(name);
      throw error;
    }
  }

  /** Stores the response. Even if that fails, the call is no longer in progress in this process. */
  async settle(key: string, content: string | Uint8Array, answer: unknown): Promise<void> {
    const name = nameOf(key);
    const sealed = encode({ fingerprint: fingerprintOf(content), answer });
    await this.vault.seal(name, sealed, { expiresAt: this.expiry() }).finally(() => this.inProgress.now.delete(name));
  }

  /** Releases the claim of a call that ended in a fault, so any process may retry the call. */
  async release(key: string): Promise<void> {
    const name = nameOf(key);
    const fingerprint = this.inProgress.now.get(name);
    this.inProgress.now.delete(name);
    if (fingerprint === undefined) return;
    // If the claim cannot be withdrawn, it is treated as abandoned after `longestCallMs`.
    await this.vault.seal(name, encode({ fingerprint }), { expiresAt: this.expiry() }).catch(() => undefined);
  }

  /** Frees the key of a call that was refused without effect. It may be used again with a corrected body. */
  async forget(key: string): Promise<void> {
    const name = nameOf(key);
    await this.vault.destroy(name).finally(() => this.inProgress.now.delete(name));
  }

  private async claim<Answer>(name: string, fingerprint: string): Promise<IdempotencyState<Answer>> {
    const by = { process: this.process.value, since: this.clock.now() };
    const claim = encode({ fingerprint, by });
    const expiresAt = this.expiry();
    if (await this.vault.seal(name, claim, { ifAbsent: true, expiresAt })) return { state: 'new', first: true };
    const stored = await this.read<Answer>(name);
    if (stored === undefined) return { state: 'new', first: false };
    if (stored.fingerprint !== fingerprint) return { state: 'other' };
    if (stored.answer !== undefined) return { state: 'answered', answer: stored.answer };
    if (await this.isInProgress(stored.by)) return { state: 'going' };
    await this.vault.seal(name, claim, { expiresAt });
    return { state: 'new', first: false };
  }

  /** Whether another live process is handling the call. */
  private async isInProgress(by: Stored<unknown>['by']): Promise<boolean> {
    if (by === undefined || by.process === this.process.value) return false;
    if (this.clock.now() - by.since > longestCallMs) return false;
    return (await this.leases.processes()).some(({ name }) => name === by.process);
  }

  private expiry(): number {
    return this.clock.now() + retentionMs;
  }

  private async read<Answer>(name: string): Promise<Stored<Answer> | undefined> {
    const sealed = await this.vault.open(name);
    return sealed && (JSON.parse(Buffer.from(sealed).toString('utf8')) as Stored<Answer>);
  }
}

const fingerprintOf = (content: string | Uint8Array) => createHash('sha256').update(content).digest('base64url');
const nameOf = (key: string) => `receipt/${createHash('sha256').update(key).digest('hex')}`;
const encode = (stored: Stored<unknown>) => Buffer.from(JSON.stringify(stored), 'utf8');
