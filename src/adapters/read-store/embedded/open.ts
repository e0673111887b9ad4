import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Worker } from 'node:worker_threads';
import type { QueryLimitsByCaller } from '../../../ports/read-store.port.js';
import { privateDatabase, privateDirectory } from '../../files/private-files.js';
import { Code, sqliteCode } from './failure.js';

export interface Options {
  /** Created if missing. */
  readonly directory: string;
  /** Called with a sentence for the operator when a file has been set aside. */
  readonly onNotice?: (sentence: string) => void;
  /** Maximum size of the file, in pages. For tests of a full disk. */
  readonly maxPages?: number;
  /** For tests. Default: `queryLimits`. */
  readonly limits?: QueryLimitsByCaller;
  /**
   * Time, in milliseconds, for which a commit waits for others to share its transaction, unless a reader is waiting.
   * Default: 50.
   */
  readonly patienceMs?: number;
  /** For tests that terminate the thread. */
  readonly onThread?: (thread: Worker) => void;
}

/** Must be increased if this version cannot use the tables or indexes of files that earlier versions created. */
const schemaVersion = 1;

const schema = `
  CREATE TABLE layout (id INTEGER PRIMARY KEY, number INTEGER NOT NULL) STRICT;
  INSERT INTO layout VALUES (1, 0);
  CREATE TABLE builds (
    projection TEXT NOT NULL, generation TEXT NOT NULL,
    checkpoint INTEGER NOT NULL DEFAULT -1, active INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (projection, generation)) STRICT, WITHOUT ROWID;
  CREATE TABLE collections (name TEXT PRIMARY KEY, projection TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE rooms (
    collection TEXT NOT NULL, generation TEXT NOT NULL, projection TEXT NOT NULL,
    PRIMARY KEY (collection, generation)) STRICT, WITHOUT ROWID;
  CREATE TABLE probe (id INTEGER PRIMARY KEY, filler BLOB NOT NULL) STRICT;
  PRAGMA user_version = ${schemaVersion};`;

/**
 * Tables that were added later. They are created in existing files too, so `schemaVersion` did not change.
 */
const laterTables = `
  CREATE TABLE IF NOT EXISTS members (
    projection TEXT PRIMARY KEY, generation TEXT NOT NULL,
    area TEXT NOT NULL, shared_generation TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS searchable (name TEXT PRIMARY KEY, members TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS part_indexes (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL, scope TEXT NOT NULL, field TEXT NOT NULL,
    UNIQUE (name, scope, field)) STRICT;`;

const fileName = 'read.db';
const fileOf = (directory: string) => join(directory, fileName);
const damageMark = (directory: string) => `${fileOf(directory)}.damaged`;

/** An unusable file is renamed and a new one created, because its contents can be rebuilt from the log. */
export function openFile(options: Options): DatabaseSync {
  privateDirectory(options.directory);
  const reason = existsSync(damageMark(options.directory)) ? 'was found damaged' : undefined;
  const opened = reason ?? tryOpen(options);
  if (opened instanceof DatabaseSync) return opened;
  const name = setAside(options.directory);
  options.onNotice?.(
    `The file of the read store ${opened}. It was renamed to ${name}; the read models are rebuilt from the log.`,
  );
  const fresh = tryOpen(options);
  if (fresh instanceof DatabaseSync) return fresh;
  throw new Error(`The new file of the read store ${fresh}.`);
}

export function openAgain(options: Pick<Options, 'directory' | 'maxPages'>): DatabaseSync {
  const opened = tryOpen(options);
  if (opened instanceof DatabaseSync) return opened;
  throw new Error(`The file of the read store ${opened}.`);
}

export function markDamaged(directory: string): void {
  try {
    writeFileSync(damageMark(directory), '');
  } catch {
    // Ignored, because the caller throws the error that reports the damage.
  }
}

function tryOpen(options: Pick<Options, 'directory' | 'maxPages'>): DatabaseSync | string {
  privateDatabase(fileOf(options.directory));
  const database = new DatabaseSync(fileOf(options.directory), { timeout: 2000 });
  try {
    inWalMode(database);
    const usable = configure(database, options);
    if (!usable) database.close();
    return usable ? database : 'was written by another version';
  } catch (error) {
    database.close();
    const code = sqliteCode(error);
    if (code === Code.notADatabase) return 'is not a database';
    if (code === Code.corrupt) return 'is damaged';
    throw error;
  }
}

/**
 * Switches a new file to WAL mode. SQLite does not wait for the lock that this needs, so if two processes start at the
 * same time, one of them must retry.
 */
function inWalMode(database: DatabaseSync, tries = 40): void {
  try {
    database.exec('PRAGMA page_size = 8192; PRAGMA journal_mode = WAL');
  } catch (error) {
    if (sqliteCode(error) !== Code.busy || tries <= 1) throw error;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    inWalMode(database, tries - 1);
  }
}

function configure(database: DatabaseSync, options: Pick<Options, 'maxPages'>): boolean {
  // Commits are not flushed one by one: a power failure loses the checkpoint together with its documents, and both are
  // rebuilt from the log. With SQLite's default of 1,000 pages per WAL checkpoint, copying the pages would take longer
  // than the writes themselves.
  database.exec(`PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000; PRAGMA journal_size_limit = 67108864;
    PRAGMA cache_size = -32000`);
  // Overwrites removed data with zeros, because some documents contain personal data in plain text.
  database.exec('PRAGMA secure_delete = ON');
  if (options.maxPages !== undefined) database.exec(`PRAGMA max_page_count = ${options.maxPages}`);
  if (version(database) === schemaVersion) {
    database.exec(laterTables);
    return true;
  }
  // If two processes open a new file at the same time, the second one finds the tables already created.
  database.exec('BEGIN IMMEDIATE');
  const empty = database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
  if (version(database) === 0 && empty) database.exec(schema);
  const usable = version(database) === schemaVersion;
  if (usable) database.exec(laterTables);
  database.exec('COMMIT');
  return usable;
}

const version = (database: DatabaseSync) => database.prepare('PRAGMA user_version').get()?.user_version;

export function removeSetAside(directory: string): void {
  for (const entry of readdirSync(directory)) {
    if (entry.startsWith(`${fileName}.broken-`)) rmSync(join(directory, entry), { force: true });
  }
}

function setAside(directory: string): string {
  const file = fileOf(directory);
  let n = 1;
  while (existsSync(`${file}.broken-${n}`)) n += 1;
  // The file itself is moved last. If the process dies before that, the next process finds the file and tries again.
  for (const companion of ['-wal', '-shm', '']) {
    if (existsSync(file + companion)) renameSync(file + companion, `${file}.broken-${n}${companion}`);
  }
  rmSync(damageMark(directory), { force: true });
  return `read.db.broken-${n}`;
}
