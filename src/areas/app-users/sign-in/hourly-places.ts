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

/**
 * Counts what may happen so many times an hour. Each time takes a place, an entry of the vault that expires: so a count
 * holds in every process and after a restart, two who take the last place at once do not both get it, and nothing stays.
 */
@Injectable()
export class HourlyPlaces {
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
    const expiresAt = this.clock.now() + windowMs;
    for (let place = 0; place < places; place++) {
      const text = Buffer.from(String(expiresAt));
      if (await this.vault.seal(nameOf(counted, place), text, { ifAbsent: true, expiresAt })) return true;
    }
    return false;
  }
}

const nameOf = ({ workspaceId, name }: Counted, place: number) => `hourly-place/${workspaceId}/${name}.${place}`;
