import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { privateDatabase, privateDirectory } from '../files/private-files.js';
import { WriteTransaction } from './write-transaction.js';

export interface DatabaseFile {
  readonly directory: string;
  /** E.g. `events.db`. */
  readonly name: string;
  /** In sentences, e.g. `The event store`. */
  readonly title: string;
  /** Incremented with every change of the schema; a file with a later one is refused. */
  readonly schemaVersion: number;
  /** Creates the tables in an empty file. */
  readonly schema: string;
}

/** How long a statement waits for another process's write lock, blocking its thread. */
const lockPatienceMs = 2_000;

/** Opens or creates a database that is durable at every commit and private to its owner. */
export function openDatabase(file: DatabaseFile): DatabaseSync {
  privateDirectory(file.directory);
  const path = join(file.directory, file.name);
  privateDatabase(path);
  const database = new DatabaseSync(path, { timeout: lockPatienceMs });
  try {
    database.exec('PRAGMA journal_mode = WAL');
    database.exec('PRAGMA synchronous = FULL');
    // 64 MB: the inner index pages of a log of some millions stay in memory.
    database.exec('PRAGMA cache_size = -65536');
    // Pages written over and over between two checkpoints are copied once; 16 MB of log cost nothing at start.
    database.exec('PRAGMA wal_autocheckpoint = 4000');
    new WriteTransaction(database).run(() => prepareSchema(database, file));
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Another, read-only connection to a file that `openDatabase` opened. */
export function openToRead({ directory, name }: DatabaseFile): DatabaseSync {
  return new DatabaseSync(join(directory, name), { readOnly: true, timeout: lockPatienceMs });
}

function prepareSchema(database: DatabaseSync, file: DatabaseFile): void {
  const found = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
  if (found > file.schemaVersion) {
    throw new Error(
      `${file.title} was written by a newer Countersign (schema ${found}, this one knows ${file.schemaVersion}): ` +
        'start the newer one.',
    );
  }
  if (found === file.schemaVersion) return;
  database.exec(file.schema);
  database.exec(`PRAGMA user_version = ${file.schemaVersion}`);
}
