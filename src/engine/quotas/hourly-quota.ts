import { Injectable } from '@nestjs/common';
import { BoundedCache } from '../../kernel/bounded-cache.js';
import { Clock } from '../../ports/clock.port.js';
import { Vault } from '../../ports/vault.port.js';

export interface QuotaKey {
  readonly workspaceId: string;
  /** A keyed digest, which reveals no email or IP address. */
  readonly name: string;
}

const windowMs = 3_600_000;
const remembered = 10_000;

/**
 * Shared by all processes: each use claims a slot, which is a vault entry that expires after an hour and is sealed with
 * `ifAbsent`. The quota therefore survives restarts, and two concurrent uses cannot both get the last slot.
 */
@Injectable()
export class HourlyQuota {
  private readonly oldest = new BoundedCache<number>(remembered, () => 1);
  private readonly full = new BoundedCache<number>(remembered, () => 1);

  constructor(
    private readonly vault: Vault,
    private readonly clock: Clock,
  ) {}

  /** `what` is the thing that is limited, e.g. an email address. */
  keyOf(workspaceId: string, what: string): QuotaKey {
    return { workspaceId, name: this.vault.derive(`hourly-place/${what}`) };
  }

  /** Returns the times, in milliseconds since 1970, at which the taken slots become free. */
  async takenUntil(key: QuotaKey, most: number): Promise<readonly number[]> {
    const entries = await Promise.all(Array.from({ length: most }, (_, slot) => this.vault.open(entryOf(key, slot))));
    return entries.filter((one) => one !== undefined).map((one) => Number(Buffer.from(one).toString('utf8')));
  }

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

  async enforce(key: QuotaKey, most: number, refused: (retryAfterSeconds: number) => never): Promise<void> {
    if (await this.consume(key, most)) return;
    const now = this.clock.now();
    const free = this.full.get(key.name) ?? Math.min(...(await this.takenUntil(key, most)), now + windowMs);
    refused(Math.max(1, Math.ceil((free - now) / 1_000)));
  }
}

const entryOf = ({ workspaceId, name }: QuotaKey, slot: number) => `hourly-place/${workspaceId}/${name}.${slot}`;
