import { createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../ports/clock.port.js';
import { Vault } from '../../../ports/vault.port.js';

const dayMs = 86_400_000;

export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

interface Site {
  readonly workspaceId: string;
  readonly projectId: string;
}

/**
 * Each site and day has its own salt, which the vault destroys at midnight UTC. After that, a hash cannot be traced to
 * a person, and the same visitor has another hash.
 */
@Injectable()
export class DaySalts {
  private day = '';
  private readonly salts = new Map<string, Promise<Uint8Array>>();

  constructor(
    private readonly vault: Vault,
    private readonly clock: Clock,
  ) {}

  /**
   * The hash has 6 bytes, in base64url.
   * @throws VaultUnavailable
   */
  async hash(site: Site, day: string, known: readonly string[]): Promise<string> {
    const salt = await this.saltOf(site, day);
    return createHmac('sha256', salt).update(known.join('\n')).digest().subarray(0, 6).toString('base64url');
  }

  private saltOf(site: Site, day: string): Promise<Uint8Array> {
    if (day !== this.day) this.forgetAt(day);
    const name = nameOf(site, day);
    const found = this.salts.get(name) ?? this.shared(name, Date.parse(day) + dayMs);
    this.salts.set(name, found);
    found.catch(() => this.salts.delete(name));
    return found;
  }

  private async shared(name: string, expiresAt: number): Promise<Uint8Array> {
    await this.vault.seal(name, randomBytes(32), { ifAbsent: true, expiresAt });
    // The day may have ended since the salt was stored, and then the vault has destroyed it. No other process can read
    // it either, so a random salt of this process is good enough.
    return (await this.vault.open(name)) ?? randomBytes(32);
  }

  private forgetAt(day: string): void {
    this.day = day;
    this.salts.clear();
    this.clock.after(Date.parse(day) + dayMs - this.clock.now(), () => {
      if (this.day === day) this.salts.clear();
    });
  }
}

const nameOf = ({ workspaceId, projectId }: Site, day: string) => `traffic-salt/${workspaceId}/${projectId}.${day}`;
