import type { DatabaseSync } from 'node:sqlite';
import type { Worker } from 'node:worker_threads';
import type { Clock } from '../../../ports/clock.port.js';
import {
  type DestroyOptions,
  type SealedEntry,
  type SealOptions,
  Vault,
  VaultUnavailable,
} from '../../../ports/vault.port.js';
import { ChangeCount } from '../../sqlite/change-count.js';
import { GroupCommit } from '../../sqlite/group-commit.js';
import { openDatabase } from '../../sqlite/open-database.js';
import { sqliteErrorText } from '../../sqlite/sqlite-errors.js';
import { Envelope } from '../envelope.js';
import { VaultWriter } from './commits/vault-writer.js';
import { vaultDatabase } from './schema.js';
import { type Entry, hasExpired, VaultFile, type VaultWrite } from './vault-file.js';

export interface EmbeddedVaultOptions {
  readonly directory: string;
  /** 32 bytes, as returned by `readMasterKey`. */
  readonly masterKey: Uint8Array;
  readonly clock: Clock;
  /** For tests that simulate a full or read-only disk. If set, no writer thread is started. */
  readonly onOpen?: (database: DatabaseSync) => void;
  /** The writer thread writes groups of at least this many writes. Default: 4. */
  readonly threadFrom?: number;
  /** For tests that terminate the writer thread. */
  readonly onThread?: (thread: Worker) => void;
  /** Maximum size of the file, in pages. For tests of a full disk. */
  readonly maxPages?: number;
}

/**
 * `patient` deletions wait this long, in milliseconds, to share one commit. Each such commit must also empty the
 * write-ahead log.
 */
const patienceMs = 200;

/** Requests of the same turn of the event loop share one commit. */
export class EmbeddedVault extends Vault {
  private readonly file: VaultFile;
  private readonly envelope: Envelope;
  private readonly clock: Clock;
  private readonly writer: VaultWriter;
  private readonly changes: ChangeCount;
  private readonly writes = new GroupCommit<VaultWrite, number>((writes) => this.commit(writes));
  /**
   * `patient` deletions are grouped separately, so that other writes do not wait until the write-ahead log has been
   * emptied.
   */
  private readonly destructions = new GroupCommit<VaultWrite, number>((writes) => this.commit(writes), patienceMs);
  private closed = false;

  /** @throws VaultUnavailable; VaultSealBroken if the vault belongs to another master key */
  constructor({ directory, masterKey, clock, onOpen, threadFrom, ...ofThread }: EmbeddedVaultOptions) {
    super();
    this.clock = clock;
    this.envelope = new Envelope(masterKey);
    [this.file, this.changes] = available(() => {
      const database = openDatabase({ ...vaultDatabase, directory });
      onOpen?.(database);
      return [openedWith(this.envelope.keyCheck, new VaultFile(database)), new ChangeCount(database)];
    });
    this.writer = new VaultWriter({
      file: this.file,
      thread: onOpen === undefined ? { ...ofThread, directory } : undefined,
      threadFrom,
      onWritten: () => this.changes.written(),
    });
  }

  override async seal(name: string, value: Uint8Array, options: SealOptions = {}): Promise<boolean> {
    this.mustBeOpen();
    const entry: Entry = { ...this.envelope.seal(name, value), expiresAt: options.expiresAt ?? null };
    const onlyIf = options.ifAbsent === true ? { ifAbsentAt: this.clock.now() } : {};
    return (await this.writes.submit({ kind: 'put', name, entry, ...onlyIf })) === 1;
  }

  override async makePermanent(name: string): Promise<boolean> {
    this.mustBeOpen();
    return (await this.writes.submit({ kind: 'keep', name, now: this.clock.now() })) === 1;
  }

  override async open(name: string): Promise<Uint8Array | undefined> {
    this.mustBeOpen();
    const entry = available(() => this.entryOf(name));
    return entry && this.envelope.open(name, entry);
  }

  override async readSealed(names: readonly string[]): Promise<readonly SealedEntry[]> {
    this.mustBeOpen();
    return available(() => this.file.named(names, this.clock.now()));
  }

  override async destroy(name: string, { patient = false }: DestroyOptions = {}): Promise<void> {
    this.mustBeOpen();
    await (patient ? this.destructions : this.writes).submit({ kind: 'delete', name });
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
    await this.writes.submit({ kind: 'put', name, entry: { ...sealed, expiresAt: expiresAt ?? null } });
  }

  override async sweep(): Promise<number> {
    this.mustBeOpen();
    return this.writes.submit({ kind: 'deleteExpired', now: this.clock.now() });
  }

  override version(): number {
    this.mustBeOpen();
    return available(() => this.changes.now());
  }

  override derive(text: string): string {
    return this.envelope.derive(text);
  }

  override async check(): Promise<void> {
    this.mustBeOpen();
    await this.writes.submit({ kind: 'try' });
  }

  /** Commits pending requests first. Idempotent. */
  override async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.writes.flush();
    this.destructions.flush();
    await this.writer.close();
    this.file.close();
  }

  private entryOf(name: string): Entry | undefined {
    const entry = this.file.get(name);
    return entry === undefined || hasExpired(entry, this.clock.now()) ? undefined : entry;
  }

  private commit(writes: readonly VaultWrite[]): ReturnType<VaultWriter['write']> {
    const results = available(() => this.writer.write(writes));
    return 'then' in results ? results.catch(rethrowAsUnavailable) : results;
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
    return rethrowAsUnavailable(error);
  }
}

function rethrowAsUnavailable(error: unknown): never {
  const trouble = sqliteErrorText(error);
  if (trouble === undefined) throw error;
  throw new VaultUnavailable(`The vault is not available: ${trouble}.`, { cause: error });
}
