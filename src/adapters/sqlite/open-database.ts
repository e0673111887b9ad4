import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { privateDatabase, privateDirectory } from '../files/private-files.js';
import { WriteTransaction } from './write-transaction.js';

export interface DatabaseFile {
  readonly directory: string;
  readonly name: string;
  /** Used in error messages, such as `The event store`. */
  readonly title: string;
  /** Must be incremented with every change. A file with a higher version is refused. */
  readonly schemaVersion: number;
  readonly schema: string;
}

/** Limit, in milliseconds, of the wait for another process's write lock. The wait blocks the thread. */
const lockPatienceMs = 2_000;

/**
 * Only the owner can read the file. Every commit is durable.
 * @throws Error if a newer version of the service has written the file
 */
export function openDatabase(file: DatabaseFile): DatabaseSync {
  privateDirectory(file.directory);
  const path = join(file.directory, file.name);
  privateDatabase(path);
  const database = new DatabaseSync(path, { timeout: lockPatienceMs });
  try {
    database.exec('PRAGMA journal_mode = WAL');
    database.exec('PRAGMA synchronous = FULL');
    // 64 MB hold the inner index pages of a log with some million events.
    database.exec('PRAGMA cache_size = -65536');
    // Checkpoints only every 16 MB of the log (4,000 pages), because a page that is written several times between two
    // checkpoints is copied only once.
    database.exec('PRAGMA wal_autocheckpoint = 4000');
    new WriteTransaction(database).run(() => prepareSchema(database, file));
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

export function openToRead({ directory, name }: DatabaseFile): DatabaseSync {
  return new DatabaseSync(join(directory, name), { readOnly: true, timeout: lockPatienceMs });
}

function prepareSchema(database: DatabaseSync, file: DatabaseFile): void {
  const found = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
  if (found > file.schemaVersion) {
    throw new Error(
      `${file.title} was written by a newer Countersign (schema ${found}, this version supports ${file.schemaVersion}): ` +
        'start the newer version.',
    );
  }
  if (found === file.schemaVersion) return;
  database.exec(file.schema);
  database.exec(`PRAGMA user_version = ${file.schemaVersion}`);
}
