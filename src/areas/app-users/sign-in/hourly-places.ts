import { Injectable } from '@nestjs/common';
import { Clock } from '../../../ports/clock.port.js';
import { Vault } from '../../../ports/vault.port.js';

/** What is counted. */
export interface Counted {
  readonly workspaceId: string;
  /** Tells neither emails nor addresses: a keyed digest. */
  readonly name: string;
}

const windowMs = 3_600_000;
/** Of how many counts this process remembers where to look. */
const remembered = 10_000;

/**
 * Counts what may happen so many times an hour. Each time takes a place, an entry of the vault that expires: so a count
 * holds in every process and after a restart, two who take the last place at once do not both get it, and nothing stays.
 */
@Injectable()
export class HourlyPlaces {
  /** The place that was probably taken first. Looking there first finds a free one among hundreds at once. */
  private readonly oldest = new Map<string, number>();
  /** Until when none gets free. */
  private readonly full = new Map<string, number>();

  constructor(
    private readonly vault: Vault,
    private readonly clock: Clock,
  ) {}

  /** A name that only this installation can compute. */
  counted(workspaceId: string, what: string): Counted {
    return { workspaceId, name: this.vault.derive(`hourly-place/${what}`) };
  }

  /** When each of the places taken gets free: milliseconds since 1970. */
  async taken(counted: Counted, places: number): Promise<readonly number[]> {
    const held = await Promise.all(
      Array.from({ length: places }, (_, place) => this.vault.open(nameOf(counted, place))),
    );
    return held.filter((one) => one !== undefined).map((one) => Number(Buffer.from(one).toString('utf8')));
  }

  /** False when none is free. */
  async take(counted: Counted, places: number): Promise<boolean> {
    if (this.clock.now() < (this.full.get(counted.name) ?? 0)) return false;
    const expiresAt = this.clock.now() + windowMs;
    const text = Buffer.from(String(expiresAt));
    const first = this.oldest.get(counted.name) ?? 0;
    for (let tried = 0; tried < places; tried++) {
      const place = (first + tried) % places;
      if (await this.vault.seal(nameOf(counted, place), text, { ifAbsent: true, expiresAt })) {
        remember(this.oldest, counted.name, (place + 1) % places);
        return true;
      }
    }
    const taken = await this.taken(counted, places);
    // One may have got free meanwhile.
    if (taken.length === places) remember(this.full, counted.name, Math.min(...taken));
    return false;
  }

  /** In how many seconds a place gets free, where none is. */
  async waitSeconds(counted: Counted, places: number): Promise<number> {
    const now = this.clock.now();
    const free = this.full.get(counted.name) ?? Math.min(...(await this.taken(counted, places)), now + windowMs);
    return Math.max(1, Math.ceil((free - now) / 1_000));
  }
}

function remember(held: Map<string, number>, name: string, value: number): void {
  held.delete(name);
  held.set(name, value);
  const [longestAgo] = held.keys();
  if (held.size > remembered && longestAgo !== undefined) held.delete(longestAgo);
}

const nameOf = ({ workspaceId, name }: Counted, place: number) => `hourly-place/${workspaceId}/${name}.${place}`;
