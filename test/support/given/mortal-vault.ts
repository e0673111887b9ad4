import type { Provider } from '@nestjs/common';
import { EmbeddedVault } from '../../../src/adapters/vault/embedded/embedded-vault.adapter.js';
import { readMasterKey } from '../../../src/adapters/vault/embedded/master-key.js';
import { Environment } from '../../../src/config/environment.js';
import { Clock } from '../../../src/ports/clock.port.js';
import {
  type DestroyOptions,
  type SealedEntry,
  type SealOptions,
  Vault,
  VaultUnavailable,
} from '../../../src/ports/vault.port.js';

/**
 * The point at which the simulated process dies: before or after this operation on an entry whose name begins with
 * `beginning`.
 */
export interface Death {
  readonly at: 'seal' | 'keep' | 'destroy';
  readonly when: 'before' | 'after';
  readonly beginning: string;
}

/** Controls when the vaults that `provider` creates stop working. */
export class Fate {
  death: Death | undefined;
  died = false;

  /** Replaces the embedded vault. */
  readonly provider: Provider = {
    provide: Vault,
    inject: [Environment, Clock],
    useFactory: ({ dataDir, masterKey: text }: Environment, clock: Clock) => {
      const masterKey = readMasterKey({ text, directory: dataDir });
      return new MortalVault(new EmbeddedVault({ directory: dataDir, clock, masterKey }), this);
    },
  };

  /** Lets processes that start from now on live. */
  revive(): void {
    this.death = undefined;
    this.died = false;
  }

  async meet<T>(at: Death['at'], name: string, work: () => Promise<T>): Promise<T> {
    const mine = this.death !== undefined && name.startsWith(this.death.beginning);
    const now = mine && this.death?.at === at;
    if (mine && this.died) throw new VaultUnavailable('This process is dead.');
    this.died ||= now;
    if (now && this.death?.when === 'before') throw new VaultUnavailable('This process died before.');
    const done = await work();
    if (now) throw new VaultUnavailable('This process died after.');
    return done;
  }
}

/** A vault that does nothing any more once the simulated process has died. */
class MortalVault extends Vault {
  constructor(
    private readonly vault: Vault,
    private readonly fate: Fate,
  ) {
    super();
  }

  override seal(name: string, value: Uint8Array, options?: SealOptions): Promise<boolean> {
    return this.fate.meet('seal', name, () => this.vault.seal(name, value, options));
  }

  override makePermanent(name: string): Promise<boolean> {
    return this.fate.meet('keep', name, () => this.vault.makePermanent(name));
  }

  override destroy(name: string, options?: DestroyOptions): Promise<void> {
    return this.fate.meet('destroy', name, () => this.vault.destroy(name, options));
  }

  override open(name: string): Promise<Uint8Array | undefined> {
    return this.vault.open(name);
  }

  override readSealed(names: readonly string[]): Promise<readonly SealedEntry[]> {
    return this.vault.readSealed(names);
  }

  override sealedEntries(): AsyncIterable<SealedEntry> {
    return this.vault.sealedEntries();
  }

  override putSealed(entry: SealedEntry): Promise<void> {
    return this.vault.putSealed(entry);
  }

  override sweep(): Promise<number> {
    return this.vault.sweep();
  }

  override derive(text: string): string {
    return this.vault.derive(text);
  }

  override check(): Promise<void> {
    return this.vault.check();
  }

  override close(): Promise<void> {
    return this.vault.close();
  }
}
