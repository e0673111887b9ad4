import type { SealOptions, Vault } from '../../ports/vault.port.js';

/** Entries that the dry run writes are held in memory and hide the stored ones. */
export class DryRunVault {
  private readonly entries = new Map<string, Uint8Array | undefined>();

  constructor(private readonly vault: Vault) {}

  async seal(name: string, value: Uint8Array, { ifAbsent }: SealOptions = {}): Promise<boolean> {
    const copy = Uint8Array.from(value);
    if (ifAbsent && (await this.open(name)) !== undefined) return false;
    this.entries.set(name, copy);
    return true;
  }

  async makePermanent(name: string): Promise<boolean> {
    return (await this.open(name)) !== undefined;
  }

  async open(name: string): Promise<Uint8Array | undefined> {
    if (!this.entries.has(name)) return this.vault.open(name);
    const value = this.entries.get(name);
    return value && Uint8Array.from(value);
  }

  async destroy(name: string): Promise<void> {
    this.entries.set(name, undefined);
  }
}
