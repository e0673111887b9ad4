import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Environment, readEnvironment } from '../config/environment.js';
import type { Invocation } from './invocation.js';

export interface BackupManifest {
  readonly format: 'countersign-backup-1';
  readonly createdAt: string;
  /** SHA-256 in hex, keyed by path within the backup, with slashes. */
  readonly files: Readonly<Record<string, string>>;
}

export const manifestName = 'backup.json';
export const keyName = 'master.key';
export const blobsFolder = 'blobs';
export const textsName = 'texts.db';
export const pieceBytes = 1024 * 1024;

/**
 * In the order of copying. Everything to which an event refers was stored before the event, so the copies made after
 * the log contain all of it. Read models are not copied, because they can be rebuilt.
 */
const databases = ['events.db', 'vault.db', textsName] as const;

/** Each database is copied as of a single moment, even while the service writes. */
export async function backUp({ words, flags, environment, console }: Invocation): Promise<number> {
  const { dataDir } = embedded(readEnvironment(environment));
  const [directory = ''] = words;
  mustHoldData(dataDir);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (readdirSync(directory).length > 0) throw new Error(`${directory} is not empty; pass a new directory.`);
  // Data of older versions has no database of texts.
  const present = databases.filter((name) => name !== textsName || existsSync(join(dataDir, name)));
  for (const name of present) snapshot(join(dataDir, name), join(directory, name));
  const withKey = flags['without-key'] !== true && existsSync(join(dataDir, keyName));
  if (withKey) copyPrivate(join(dataDir, keyName), join(directory, keyName));
  const blobs = copyBlobs(dataDir, directory);
  const names = [...present, ...(withKey ? [keyName] : []), ...blobs];
  const files = Object.fromEntries(names.map((name) => [name, fileDigest(join(directory, name))]));
  const manifest: BackupManifest = { format: 'countersign-backup-1', createdAt: new Date().toISOString(), files };
  writeFileSync(join(directory, manifestName), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  for (const name of [...names, manifestName]) toDisk(join(directory, name));
  console.out(`Backed up ${fileList(names)} to ${directory}.`);
  console.out(
    withKey
      ? 'It contains the master key: protect it as you protect the key.'
      : 'It does not contain the master key: store that elsewhere, because nothing else can open the vault.',
  );
  return 0;
}

/**
 * Must be called before the stores are opened, because opening them creates missing databases.
 * @throws Error if nothing was ever recorded in this directory
 */
export function mustHoldData(dataDir: string): void {
  if (!existsSync(join(dataDir, databases[0]))) throw new Error(`There is no data in ${dataDir}; set DATA_DIR.`);
}

/** @throws Error if the environment does not use the embedded stores */
export function embedded(environment: Environment): Environment {
  if (environment.eventStore.kind === 'embedded' && environment.readStore.kind === 'embedded') return environment;
  throw new Error('backup and restore work only with the embedded stores; back up other stores with their own tools.');
}

export function fileList(names: readonly string[]): string {
  const plain = names.filter((name) => !name.includes('/'));
  const blobs = names.length - plain.length;
  return [...plain, ...(blobs === 0 ? [] : [`${blobs} ${blobs === 1 ? 'blob' : 'blobs'}`])].join(', ');
}

/** A blob that is destroyed during the copying is left out, because nothing refers to it any more. */
function copyBlobs(dataDir: string, directory: string): readonly string[] {
  const copied: string[] = [];
  for (const name of filesBelow(dataDir, blobsFolder)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true, mode: 0o700 });
    try {
      copyPrivate(join(dataDir, name), join(directory, name));
      const { atime, mtime } = statSync(join(dataDir, name));
      utimesSync(join(directory, name), atime, mtime);
      copied.push(name);
    } catch (error) {
      if (!isGone(error)) throw error;
      rmSync(join(directory, name), { force: true });
    }
  }
  return copied;
}

function filesBelow(directory: string, folder: string): readonly string[] {
  if (!existsSync(join(directory, folder))) return [];
  return readdirSync(join(directory, folder), { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.'))
    .flatMap((entry) => {
      const name = `${folder}/${entry.name}`;
      return entry.isDirectory() ? filesBelow(directory, name) : [name];
    });
}

const isGone = (error: unknown) =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT';

function copyPrivate(from: string, to: string): void {
  copyFileSync(from, to);
  chmodSync(to, 0o600);
}

function snapshot(from: string, to: string): void {
  // The file is created first, readable only by its owner, because SQLite would create it readable for everyone.
  closeSync(openSync(to, 'wx', 0o600));
  const database = new DatabaseSync(from, { readOnly: true, timeout: 10_000 });
  try {
    database.prepare('VACUUM INTO ?').run(to);
  } finally {
    database.close();
  }
}

/** The file is read in pieces, because Node reads no file over 2 GiB at once. */
export function fileDigest(path: string): string {
  const hash = createHash('sha256');
  const piece = Buffer.allocUnsafe(pieceBytes);
  const file = openSync(path, 'r');
  try {
    for (let read = readSync(file, piece); read > 0; read = readSync(file, piece)) hash.update(piece.subarray(0, read));
  } finally {
    closeSync(file);
  }
  return hash.digest('hex');
}

export function toDisk(path: string): void {
  const file = openSync(path, 'r+');
  fsyncSync(file);
  closeSync(file);
}
