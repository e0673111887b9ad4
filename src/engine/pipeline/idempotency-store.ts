import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../ports/clock.port.js';
import { Leases } from '../../ports/leases.port.js';
import { Vault } from '../../ports/vault.port.js';
import { ProcessName } from '../cluster/process-name.js';
import { PerDryRun } from '../dry-run/dry-run.js';

/**
 * `going` means that a call with this idempotency key is in progress, and `other` that the key was used for a different
 * call.
 */
export type IdempotencyState<Answer> =
  /** `first` means that no earlier call with this key is stored. */
  | { readonly state: 'new'; readonly first: boolean }
  | { readonly state: 'going' }
  | { readonly state: 'other' }
  | { readonly state: 'answered'; readonly answer: Answer };

interface Stored<Answer> {
  readonly fingerprint: string;
  readonly answer?: Answer;
  /** The process that handles the call, and since when, in milliseconds since 1970. Omitted once the call has ended. */
  readonly by?: { readonly process: string; readonly since: number };
}

/** No call takes longer. If a claim is older, its process ended without withdrawing the claim. */
const longestCallMs = 15 * 60_000;

/** Time for which responses are stored. The API contract allows a call to be repeated for seven days. */
const retentionMs = 8 * 24 * 3_600_000;

/**
 * If a process dies before it responds, no response is stored, so a repetition of the call runs again. It records
 * nothing twice, because the events have the same ids.
 */
@Injectable()
export class IdempotencyStore {
  private readonly inProgress = new PerDryRun(() => new Map<string, string>());

  constructor(
    private readonly vault: Vault,
    private readonly clock: Clock,
    private readonly process: ProcessName,
    private readonly leases: Leases,
  ) {}

  /** A repetition must have the same `content`. */
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

  async settle(key: string, content: string | Uint8Array, answer: unknown): Promise<void> {
    const name = nameOf(key);
    const sealed = encode({ fingerprint: fingerprintOf(content), answer });
    await this.vault.seal(name, sealed, { expiresAt: this.expiry() }).finally(() => this.inProgress.now.delete(name));
  }

  /** Must be called after a fault. Any process may then run the call again. */
  async release(key: string): Promise<void> {
    const name = nameOf(key);
    const fingerprint = this.inProgress.now.get(name);
    this.inProgress.now.delete(name);
    if (fingerprint === undefined) return;
    // If this fails, other processes treat the call as in progress until `longestCallMs` has passed or this process has
    // ended.
    await this.vault.seal(name, encode({ fingerprint }), { expiresAt: this.expiry() }).catch(() => undefined);
  }

  /** Must be called after a refusal without an effect. The key may then be used for a corrected call. */
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
