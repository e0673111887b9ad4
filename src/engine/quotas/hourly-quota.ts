import { Injectable } from '@nestjs/common';
import { BoundedCache } from '../../kernel/bounded-cache.js';
import { Clock } from '../../ports/clock.port.js';
import { Vault } from '../../ports/vault.port.js';

export interface QuotaKey {
  readonly workspaceId: string;
  /** Name of the key, a keyed digest so that it reveals no email or IP address. */
  readonly name: string;
}

const windowMs = 3_600_000;
/** Maximum number of keys for which this process caches the state of the slots. */
const remembered = 10_000;

/**
 * An hourly quota that all processes share. Each use claims a slot, which is a vault entry that expires after an hour
 * and is sealed with `ifAbsent`. The quota therefore survives restarts, and two concurrent uses cannot both get the
 * last slot. Expired entries need no cleanup.
 */
@Injectable()
export class HourlyQuota {
  /**
   * Index of the slot that probably becomes free first, by key. The search starts there, which finds a free slot among
   * hundreds quickly.
   */
  private readonly oldest = new BoundedCache<number>(remembered, () => 1);
  /** Time, in milliseconds since 1970, until which all slots are taken, by key. */
  private readonly full = new BoundedCache<number>(remembered, () => 1);

  constructor(
    private readonly vault: Vault,
    private readonly clock: Clock,
  ) {}

  /** Returns the key of the thing that is limited, e.g. an email address. */
  keyOf(workspaceId: string, what: string): QuotaKey {
    return { workspaceId, name: this.vault.derive(`hourly-place/${what}`) };
  }

  /** Returns the times at which the claimed slots become free, in milliseconds since 1970. */
  async takenUntil(key: QuotaKey, most: number): Promise<readonly number[]> {
    const entries = await Promise.all(Array.from({ length: most }, (_, slot) => this.vault.open(entryOf(key, slot))));
    return entries.filter((one) => one !== undefined).map((one) => Number(Buffer.from(one).toString('utf8')));
  }

  /** Claims a slot. Returns false if none is free. */
  async consume(key: QuotaKey, most: number): Promise<boolean> {
    if (this.clock.now() < (this.full.get(key.name) ?? 0)) return false;
    const expiresAt = this.clock.now() + windowMs;
    const text = Buffer.from(String(expiresAt));
    const first = this.oldest.get(key.name) ?? 0;
    for (let tried = 0; tried < most; tried++) {
      const slot = (first + tried) % most;
      if (await this.vault.seal(entryOf(key, slot), text, { ifAbsent: true, expiresAt })) {
        this.oldest.set(key.name, (slot + 1) % most);
        return true;
      }
    }
    const taken = await this.takenUntil(key, most);
    // If fewer slots are taken than exist, one became free during the search, so the quota is not marked as full.
    if (taken.length === most) this.full.set(key.name, Math.min(...taken));
    return false;
  }

  /** Claims a slot. If none is free, calls `refused` with the seconds until one becomes free. */
  async enforce(key: QuotaKey, most: number, refused: (retryAfterSeconds: number) => never): Promise<void> {
    if (await this.consume(key, most)) return;
    const now = this.clock.now();
    const free = this.full.get(key.name) ?? Math.min(...(await this.takenUntil(key, most)), now + windowMs);
    refused(Math.max(1, Math.ceil((free - now) / 1_000)));
  }
}

const entryOf = ({ workspaceId, name }: QuotaKey, slot: number) => `hourly-place/${workspaceId}/${name}.${slot}`;
