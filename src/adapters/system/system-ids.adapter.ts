import { randomBytes, randomFillSync } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../ports/clock.port.js';
import { Ids } from '../../ports/ids.port.js';

/** Crockford's base 32 in lower case. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const timeCharacters = 10;
const randomCharacters = 16;

@Injectable()
export class SystemIds extends Ids {
  /** Random bytes for many ids, because a call of the kernel's generator takes as long as making a whole id. */
  private readonly pool = Buffer.alloc(randomCharacters * 256);
  private used = this.pool.length;

  constructor(private readonly clock: Clock) {
    super();
  }

  override newId(prefix: string): string {
    let time = this.clock.now();
    let text = '';
    for (let i = 0; i < timeCharacters; i++) {
      text = alphabet.charAt(time % 32) + text;
      time = Math.floor(time / 32);
    }
    for (const byte of this.random()) text += alphabet.charAt(byte & 31);
    return `${prefix}_${text}`;
  }

  /** Version 7 is ordered by time, so an index over these ids grows only at its end. */
  override uuid(): string {
    const time = this.clock.now().toString(16).padStart(12, '0');
    const random = this.random().toString('hex');
    const variant = '89ab'.charAt(Number.parseInt(random.charAt(3), 16) & 3);
    return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-${variant}${random.slice(4, 7)}-${random.slice(7, 19)}`;
  }

  override token(): string {
    return randomBytes(24).toString('base64url');
  }

  private random(): Buffer {
    if (this.used + randomCharacters > this.pool.length) {
      randomFillSync(this.pool);
      this.used = 0;
    }
    this.used += randomCharacters;
    return this.pool.subarray(this.used - randomCharacters, this.used);
  }
}
