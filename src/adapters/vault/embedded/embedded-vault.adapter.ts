import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../../ports/clock.port.js';
import {
  type DestroyOptions,
  type SealedEntry,
  type SealOptions,
  Vault,
  VaultUnavailable,
} from '../../../ports/vault.port.js';
import { GroupCommit } from '../../sqlite/group-commit.js';
import { openDatabase } from '../../sqlite/open-database.js';
import { sqliteErrorText } from '../../sqlite/sqlite-errors.js';
import { Envelope } from '../envelope.js';
import { vaultDatabase } from './schema.js';
import { type Entry, VaultFile } from './vault-file.js';

export interface EmbeddedVaultOptions {
  readonly directory: string;
  /** 32 bytes; see `readMasterKey`. */
  readonly masterKey: Uint8Array;
  readonly clock: Clock;
  /** Called with the connection. Tests simulate a full or read-only disk. */
  readonly onOpen?: (database: DatabaseSync) => void;
}

/** Destructions are batched for this long, because each batch must empty the write-ahead log. */
const patienceMs = 200;

/** The vault in one SQLite file, `vault.db`. Requests of the same turn share one commit. */
export class EmbeddedVault extends Vault {
  private readonly file: VaultFile;
  private readonly envelope: Envelope;
  private readonly clock: Clock;
  /** Each work returns the number of entries that it changed. */
  private readonly writes: GroupCommit<() => number, number>;
  /** Destructions, separate so that other writes do not wait for the log to be emptied. */
  private readonly destructions: GroupCommit<() => number, number>;
  private closed = false;

  /** @throws VaultSealBroken if the vault belongs to another master key, VaultUnavailable */
  constructor({ directory, masterKey, clock, onOpen }: EmbeddedVaultOptions) {
    super();
    this.clock = clock;
    this.envelope = new Envelope(masterKey);
    this.file = available(() => {
      const database = openDatabase({ ...vaultDatabase, directory });
      onOpen?.(database);
      return openedWith(this.envelope.keyCheck, new VaultFile(database));
    });
    const commit = (works: readonly (() => number)[]) => available(() => this.file.write(works));
    this.writes = new GroupCommit(commit);
    this.destructions = new GroupCommit(commit, patienceMs);
  }

  override async seal(name: string, value: Uint8Array, options: SealOptions = {}): Promise<boolean> {
    this.mustBeOpen();
    const entry: Entry = { ...this.envelope.seal(name, value), expiresAt: options.expiresAt ?? null };
    const changed = await this.writes.submit(() => {
      if (options.ifAbsent === true && this.held(name) !== undefined) return 0;
      this.file.put(name, entry);
      return 1;
    });
    return changed === 1;
  }

  override async keep(name: string): Promise<boolean> {
    this.mustBeOpen();
    return (await this.writes.submit(() => this.file.keep(name, this.clock.now()))) === 1;
  }

  override async open(name: string): Promise<Uint8Array | undefined> {
    this.mustBeOpen();
    const entry = available(() => this.held(name));
    return entry && this.envelope.open(name, entry);
  }

  override async readSealed(names: readonly string[]): Promise<readonly SealedEntry[]> {
    this.mustBeOpen();
    return available(() => this.file.named(names, this.clock.now()));
  }

  override async destroy(name: string, { patient = false }: DestroyOptions = {}): Promise<void> {
    this.mustBeOpen();
    await (patient ? this.destructions : this.writes).submit(() => this.file.delete(name));
  }

  override async *sealedEntries(): AsyncIterable<SealedEntry> {
    for (let after = ''; ; ) {
      this.mustBeOpen();
      const entries = available(() => this.file.page(after, this.clock.now()));
      yield* entries;
      const last = entries.at(-1);
      if (last === undefined) return;
      after = last.name;
    }
  }

  override async putSealed({ name, expiresAt, ...sealed }: SealedEntry): Promise<void> {
    this.mustBeOpen();
    this.envelope.open(name, sealed);
    await this.writes.submit(() => {
      this.file.put(name, { ...sealed, expiresAt: expiresAt ?? null });
      return 1;
    });
  }

  override async sweep(): Promise<number> {
    this.mustBeOpen();
    return this.writes.submit(() => this.file.deleteExpired(this.clock.now()));
  }

  override version(): number {
    this.mustBeOpen();
    return available(() => this.file.version());
  }

  override derive(text: string): string {
    return this.envelope.derive(text);
  }

  override async check(): Promise<void> {
    this.mustBeOpen();
    available(() => this.file.tryToWrite());
  }

  /** Commits pending requests and closes the file. Idempotent. */
  override async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.writes.flush();
    this.destructions.flush();
    this.file.close();
  }

  private held(name: string): Entry | undefined {
    const entry = this.file.get(name);
    const expiresAt = entry?.expiresAt ?? Number.POSITIVE_INFINITY;
    return expiresAt <= this.clock.now() ? undefined : entry;
  }

  private mustBeOpen(): void {
    if (this.closed) throw new VaultUnavailable('The vault is closed: the service is stopping.');
  }
}

function openedWith(keyCheck: Uint8Array, file: VaultFile): VaultFile {
  try {
    file.mustBelongTo(keyCheck);
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}

function available<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const trouble = sqliteErrorText(error);
    if (trouble === undefined) throw error;
    throw new VaultUnavailable(`The vault is not available: ${trouble}.`, { cause: error });
  }
}
