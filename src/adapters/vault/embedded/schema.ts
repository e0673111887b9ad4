import type { DatabaseFile } from '../../sqlite/open-database.js';

/**
 * Names are stored in plain text, because they contain no secrets. `key_check` shows at the start whether the master
 * key is wrong.
 */
export const vaultDatabase: Omit<DatabaseFile, 'directory'> = {
  name: 'vault.db',
  title: 'The vault',
  schemaVersion: 1,
  schema: `
    CREATE TABLE master (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      key_check BLOB NOT NULL
    );
    CREATE TABLE entries (
      name TEXT PRIMARY KEY,
      sealed_key BLOB NOT NULL,
      sealed_value BLOB NOT NULL,
      expires_at INTEGER
    );
    CREATE INDEX entries_by_expiry ON entries (expires_at) WHERE expires_at IS NOT NULL;
  `,
};
