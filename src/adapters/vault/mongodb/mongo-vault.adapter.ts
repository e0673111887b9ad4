import type { Clock } from '../../../ports/clock.port.js';
import { type SealedEntry, type SealOptions, Vault, VaultUnavailable } from '../../../ports/vault.port.js';
import { MongoConnection, type MongoOptions } from '../../mongodb/mongo-connection.js';
import { mongoErrorText } from '../../mongodb/mongo-errors.js';
import { Envelope } from '../envelope.js';
import { type Entry, VaultEntries } from './vault-entries.js';

export interface MongoVaultOptions extends MongoOptions {
  /** 32 bytes. All processes of the service must have the same key. */
  readonly masterKey: Uint8Array;
  readonly clock: Clock;
}

/**
 * Values are sealed before they leave the process, so MongoDB, its log and its backups never contain them in plain
 * text. A value can have about 16 million bytes. A write that rejects with VaultUnavailable might have taken effect, so
 * the caller should repeat it.
 */
export class MongoVault extends Vault {
  private constructor(
    private readonly connection: MongoConnection,
    private readonly entries: VaultEntries,
    private readonly envelope: Envelope,
    private readonly clock: Clock,
  ) {
    super();
  }

  /** @throws VaultUnavailable; VaultSealBroken if the vault belongs to another master key */
  static async open({ masterKey, clock, ...options }: MongoVaultOptions): Promise<MongoVault> {
    const envelope = new Envelope(masterKey);
    const connection = new MongoConnection(options);
    const entries = new VaultEntries(connection);
    try {
      await available(async () => {
        await connection.mustBeReplicated();
        await entries.mustBelongTo(envelope.keyCheck);
        await entries.prepare();
      });
      return new MongoVault(connection, entries, envelope, clock);
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  override async seal(name: string, value: Uint8Array, options: SealOptions = {}): Promise<boolean> {
    // Sealed before the first await, so later changes of the caller's bytes do not affect it.
    const entry: Entry = { ...this.envelope.seal(name, value), expiresAt: options.expiresAt };
    return this.reach(async () => {
      if (options.ifAbsent === true) return this.entries.putIfAbsent(name, entry, this.clock.now());
      await this.entries.put(name, entry);
      return true;
    });
  }

  override makePermanent(name: string): Promise<boolean> {
    return this.reach(() => this.entries.makePermanent(name, this.clock.now()));
  }

  override async open(name: string): Promise<Uint8Array | undefined> {
    const entry = await this.reach(() => this.entries.get(name));
    const isValid = entry !== undefined && (entry.expiresAt ?? Number.POSITIVE_INFINITY) > this.clock.now();
    return isValid ? this.envelope.open(name, entry) : undefined;
  }

  override readSealed(names: readonly string[]): Promise<readonly SealedEntry[]> {
    return this.reach(() => this.entries.named(names, this.clock.now()));
  }

  override destroy(name: string): Promise<void> {
    return this.reach(() => this.entries.delete(name));
  }

  override async *sealedEntries(): AsyncIterable<SealedEntry> {
    this.mustBeOpen();
    try {
      yield* this.entries.all(this.clock.now());
    } catch (error) {
      throw asUnavailable(error);
    }
  }

  override async putSealed({ name, ...sealed }: SealedEntry): Promise<void> {
    this.envelope.open(name, sealed);
    await this.reach(() => this.entries.put(name, sealed));
  }

  override sweep(): Promise<number> {
    return this.reach(() => this.entries.deleteExpired(this.clock.now()));
  }

  override derive(text: string): string {
    return this.envelope.derive(text);
  }

  override check(): Promise<void> {
    return this.reach(() => this.entries.tryToWrite());
  }

  override close(): Promise<void> {
    return this.connection.close();
  }

  private async reach<T>(work: () => Promise<T>): Promise<T> {
    this.mustBeOpen();
    return available(work);
  }

  private mustBeOpen(): void {
    if (this.connection.closed) throw new VaultUnavailable('The vault is closed: the service is stopping.');
  }
}

async function available<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asUnavailable(error);
  }
}

function asUnavailable(error: unknown): unknown {
  const trouble = mongoErrorText(error);
  return trouble === undefined
    ? error
    : new VaultUnavailable(`The vault is not available: ${trouble}.`, { cause: error });
}
