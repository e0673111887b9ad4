import { timingSafeEqual } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type SealedEntry, VaultSealBroken } from '../../../ports/vault.port.js';
import { WriteTransaction } from '../../sqlite/write-transaction.js';
import type { Sealed } from '../envelope.js';

export interface Entry extends Sealed {
  readonly expiresAt: number | null;
}

/** Plain data, which can be sent to a thread. */
export type VaultWrite =
  | {
      readonly kind: 'put';
      readonly name: string;
      readonly entry: Entry;
      /** If set, replaces an entry of this name only if it has expired by this time. */
      readonly ifAbsentAt?: number;
    }
  | { readonly kind: 'keep'; readonly name: string; readonly now: number }
  | { readonly kind: 'delete'; readonly name: string }
  | { readonly kind: 'deleteExpired'; readonly now: number }
  | { readonly kind: 'try' };

/** Number of entries read at once. Small, because entries can be large. */
const pageSize = 16;

type PageRow = readonly [name: string, sealedKey: Uint8Array, sealedValue: Uint8Array, expiresAt: number | null];

/** Removes deleted entries not only from the table but from the write-ahead log too. */
export class VaultFile {
  private readonly transaction: WriteTransaction;
  private readonly select: StatementSync;
  private readonly selectNamed: StatementSync;
  private readonly selectPage: StatementSync;
  private readonly upsert: StatementSync;
  private readonly makePermanent: StatementSync;
  private readonly remove: StatementSync;
  private readonly removeExpired: StatementSync;
  /** Whether the write-ahead log might still contain bytes of deleted or replaced entries. */
  leftovers = false;

  constructor(private readonly database: DatabaseSync) {
    // Overwrites deleted rows with zeros, above all to destroy data keys.
    database.exec('PRAGMA secure_delete = ON');
    this.transaction = new WriteTransaction(database);
    this.select = database.prepare('SELECT sealed_key, sealed_value, expires_at FROM entries WHERE name = ?');
    this.select.setReturnArrays(true);
    // With CROSS JOIN, SQLite always looks the names up in the table instead of scanning it.
    this.selectNamed = database.prepare(
      `SELECT name, sealed_key, sealed_value, expires_at FROM json_each(?) AS asked CROSS JOIN entries ON name = asked.value
      WHERE expires_at IS NULL OR expires_at > ?`,
    );
    this.selectNamed.setReturnArrays(true);
    this.selectPage = database.prepare(
      `SELECT name, sealed_key, sealed_value, expires_at FROM entries
      WHERE name > ? AND (expires_at IS NULL OR expires_at > ?) ORDER BY name LIMIT ${pageSize}`,
    );
    this.selectPage.setReturnArrays(true);
    this.upsert = database.prepare(
      'INSERT OR REPLACE INTO entries (name, sealed_key, sealed_value, expires_at) VALUES (?, ?, ?, ?)',
    );
    this.makePermanent = database.prepare(
      'UPDATE entries SET expires_at = NULL WHERE name = ? AND (expires_at IS NULL OR expires_at > ?)',
    );
    this.remove = database.prepare('DELETE FROM entries WHERE name = ?');
    this.removeExpired = database.prepare('DELETE FROM entries WHERE expires_at <= ?');
  }

  /** @throws VaultSealBroken if the vault belongs to another key */
  mustBelongTo(keyCheck: Uint8Array): void {
    this.transaction.run(() => {
      this.database.prepare('INSERT OR IGNORE INTO master (id, key_check) VALUES (1, ?)').run(keyCheck);
      const stored = this.database.prepare('SELECT key_check FROM master').get()?.['key_check'];
      if (stored instanceof Uint8Array && timingSafeEqual(stored, keyCheck)) return;
      throw new VaultSealBroken('The vault was sealed with another master key: start with that key.');
    });
  }

  write(writes: readonly VaultWrite[]): readonly number[] {
    const changed = this.transaction.run(() => writes.map((write) => this.apply(write)));
    this.wipe();
    return changed;
  }

  get(name: string): Entry | undefined {
    const row = this.select.get(name) as unknown as [Uint8Array, Uint8Array, number | null] | undefined;
    return row && { sealedKey: row[0], sealedValue: row[1], expiresAt: row[2] };
  }

  /** The first `pageSize` unexpired entries after a name, in the order of names. Empty at the end. */
  page(after: string, now: number): readonly SealedEntry[] {
    return entriesOf(this.selectPage.all(after, now));
  }

  named(names: readonly string[], now: number): readonly SealedEntry[] {
    return entriesOf(this.selectNamed.all(JSON.stringify(names), now));
  }

  close(): void {
    this.database.close();
  }

  private apply(write: VaultWrite): number {
    switch (write.kind) {
      case 'put':
        return this.put(write.name, write.entry, write.ifAbsentAt);
      case 'keep':
        return Number(this.makePermanent.run(write.name, write.now).changes);
      case 'delete':
        return this.deleted(this.remove.run(write.name));
      case 'deleteExpired':
        return this.deleted(this.removeExpired.run(write.now));
      case 'try':
        this.database.exec('UPDATE master SET key_check = key_check');
        return 0;
    }
  }

  private put(name: string, { sealedKey, sealedValue, expiresAt }: Entry, ifAbsentAt: number | undefined): number {
    const former = this.get(name);
    if (former !== undefined && ifAbsentAt !== undefined && !hasExpired(former, ifAbsentAt)) return 0;
    this.leftovers ||= former !== undefined;
    this.upsert.run(name, sealedKey, sealedValue, expiresAt);
    return 1;
  }

  private deleted({ changes }: { readonly changes: number | bigint }): number {
    this.leftovers ||= changes > 0;
    return Number(changes);
  }

  /**
   * The writes are durable before the wipe. If the wipe fails or another process is reading, the next write or `close`
   * tries again.
   */
  private wipe(): void {
    if (!this.leftovers) return;
    try {
      const answer = this.database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
      this.leftovers = answer?.['busy'] !== 0;
    } catch {
      this.leftovers = true;
    }
  }
}

const entriesOf = (rows: readonly unknown[]): readonly SealedEntry[] =>
  (rows as readonly PageRow[]).map(([name, sealedKey, sealedValue, expiresAt]) => ({
    name,
    sealedKey,
    sealedValue,
    ...(expiresAt === null ? {} : { expiresAt }),
  }));

export const hasExpired = ({ expiresAt }: Entry, now: number): boolean => expiresAt !== null && expiresAt <= now;
