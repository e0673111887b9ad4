import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../ports/clock.port.js';
import { Vault } from '../ports/vault.port.js';

/** What became of the first call with a key. */
export type Receipt<Answer> =
  | { readonly state: 'new' }
  | { readonly state: 'going' }
  | { readonly state: 'other' }
  | { readonly state: 'answered'; readonly answer: Answer };

interface Stored<Answer> {
  readonly fingerprint: string;
  readonly answer?: Answer;
}

/** Longer than the seven days the contract promises for a repeated delivery. */
const keptMs = 8 * 24 * 3_600_000;

/**
 * Remembers, sealed, what a keyed call was answered. A call that crashed before it was answered is found without an
 * answer by the next process and done again; commands find there what they had recorded.
 */
@Injectable()
export class Receipts {
  /** Those that this process is at work on, with what they are about: the others were left by a crash. */
  private readonly going = new Map<string, string>();

  constructor(
    private readonly vault: Vault,
    private readonly clock: Clock,
  ) {}

  /** `key` names the call, `content` is what must be the same when it comes again. */
  async begin<Answer>(key: string, content: string | Uint8Array): Promise<Receipt<Answer>> {
    const name = nameOf(key);
    const fingerprint = fingerprintOf(content);
    const first = this.going.get(name);
    if (first !== undefined) return { state: first === fingerprint ? 'going' : 'other' };
    this.going.set(name, fingerprint);
    try {
      const receipt = await this.claim<Answer>(name, fingerprint);
      if (receipt.state !== 'new') this.going.delete(name);
      return receipt;
    } catch (error) {
      this.going.delete(name);
      throw error;
    }
  }

  /** Whether or not the answer can be kept, this process is no longer at work on it. */
  async settle(key: string, content: string | Uint8Array, answer: unknown): Promise<void> {
    const name = nameOf(key);
    const sealed = encode({ fingerprint: fingerprintOf(content), answer });
    await this.vault
      .seal(name, sealed, { expiresAt: this.clock.now() + keptMs })
      .finally(() => this.going.delete(name));
  }

  /** The call ended in a fault: the same call may be tried again. */
  release(key: string): void {
    this.going.delete(nameOf(key));
  }

  /** The call was refused and did nothing: it may come again, mended. */
  async forget(key: string): Promise<void> {
    const name = nameOf(key);
    await this.vault.destroy(name).finally(() => this.going.delete(name));
  }

  private async claim<Answer>(name: string, fingerprint: string): Promise<Receipt<Answer>> {
    const expiresAt = this.clock.now() + keptMs;
    if (await this.vault.seal(name, encode({ fingerprint }), { ifAbsent: true, expiresAt })) return { state: 'new' };
    const stored = await this.read<Answer>(name);
    if (stored === undefined) return { state: 'new' };
    if (stored.fingerprint !== fingerprint) return { state: 'other' };
    return stored.answer === undefined ? { state: 'new' } : { state: 'answered', answer: stored.answer };
  }

  private async read<Answer>(name: string): Promise<Stored<Answer> | undefined> {
    const sealed = await this.vault.open(name);
    return sealed && (JSON.parse(Buffer.from(sealed).toString('utf8')) as Stored<Answer>);
  }
}

const fingerprintOf = (content: string | Uint8Array) => createHash('sha256').update(content).digest('base64url');
const nameOf = (key: string) => `receipt/${createHash('sha256').update(key).digest('hex')}`;
const encode = (stored: Stored<unknown>) => Buffer.from(JSON.stringify(stored), 'utf8');
