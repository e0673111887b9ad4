import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestApp } from '../app.js';

export interface VaultEntry {
  readonly name: string;
  /** Null if the entry remains until it is destroyed. */
  readonly expiresAt: number | null;
}

/** Returns the entries in the file of the embedded vault whose names begin with this text. */
export function vaultEntries({ dataDir }: Pick<TestApp, 'dataDir'>, beginning: string): readonly VaultEntry[] {
  const database = new DatabaseSync(join(dataDir, 'vault.db'), { readOnly: true });
  try {
    const sql = 'SELECT name, expires_at AS expiresAt FROM entries WHERE substr(name, 1, ?) = ? ORDER BY name';
    return database.prepare(sql).all(beginning.length, beginning) as unknown as readonly VaultEntry[];
  } finally {
    database.close();
  }
}
