import { Injectable } from '@nestjs/common';
import { BoundedCache } from '../../kernel/bounded-cache.js';
import { Clock } from '../../ports/clock.port.js';
import { Vault } from '../../ports/vault.port.js';

/** What is counted. */
export interface QuotaKey {
  readonly workspaceId: string;
  /** Tells neither emails nor addresses: a keyed digest. */
  readonly name: string;
}

const windowMs = 3_600_000;
/** Of how many keys this process remembers where to look. */
const remembered = 10_000;

/**
 * Counts what may happen so many times an hour. Each time takes a place, an entry of the vault that expires: so a count
 * holds in every process and after a restart, two who take the last place at once do not both get it, and nothing stays.
 */
@Injectable()
export class HourlyQuota {
  /** The place that was probably taken first. Looking there first finds a free one among hundreds at once. */
  private readonly oldest = new BoundedCache<number>(remembered, () => 1);
  /** Until when none gets free. */
  private readonly full = new BoundedCache<number>(remembered, () => 1);

  constructor(
    private readonly vault: Vault,
    private readonly clock: Clock,
  ) {}

  /** Its name is one that only this installation can compute. */
  keyOf(workspaceId: string, what: string): QuotaKey {
    return { workspaceId, name: this.vault.derive(`hourly-place/${what}`) };
  }

  /** When each of the places taken gets free: milliseconds since 1970. */
  async takenUntil(key: QuotaKey, most: number): Promise<readonly number[]> {
    const held = await Promise.all(Array.from({ length: most }, (_, place) => this.vault.open(entryOf(key, place))));
    return held.filter((one) => one !== undefined).map((one) => Number(Buffer.from(one).toString('utf8')));
  }

  /** Takes a place. False: none is free. */
  async consume(key: QuotaKey, most: number): Promise<boolean> {
    if (this.clock.now() < (this.full.get(key.name) ?? 0)) return false;
    const expiresAt = this.clock.now() + windowMs;
    const text = Buffer.from(String(expiresAt));
    const first = this.oldest.get(key.name) ?? 0;
    for (let tried = 0; tried < most; tried++) {
      const place = (first + tried) % most;
      if (await this.vault.seal(entryOf(key, place), text, { ifAbsent: true, expiresAt })) {
        this.oldest.set(key.name, (place + 1) % most);
        return true;
      }
    }
    const taken = await this.takenUntil(key, most);
    // One may have got free meanwhile.
    if (taken.length === most) this.full.set(key.name, Math.min(...taken));
    return false;
  }

  /** Takes a place. Where none is free, `refused` throws, with the seconds until one will be. */
  async enforce(key: QuotaKey, most: number, refused: (retryAfterSeconds: number) => never): Promise<void> {
    if (await this.consume(key, most)) return;
    const now = this.clock.now();
    const free = this.full.get(key.name) ?? Math.min(...(await this.takenUntil(key, most)), now + windowMs);
    refused(Math.max(1, Math.ceil((free - now) / 1_000)));
  }
}

const entryOf = ({ workspaceId, name }: QuotaKey, place: number) => `hourly-place/${workspaceId}/${name}.${place}`;
