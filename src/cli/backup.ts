import { createHash } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Environment, readEnvironment } from '../config/environment.js';
import type { Invocation } from './commands.js';

/** What a backup holds, beside the files it names. */
export interface Manifest {
  readonly format: 'countersign-backup-1';
  readonly createdAt: string;
  /** SHA-256 (hex) by file name. */
  readonly files: Readonly<Record<string, string>>;
}

export const manifestName = 'backup.json';
export const keyName = 'master.key';

/** The log first: what its events refer to was in the vault before them. Read models are built from the log. */
const databases = ['events.db', 'vault.db'] as const;

/** Copies are of one moment each, also while the service writes. */
export async function backUp({ words, flags, environment, console }: Invocation): Promise<number> {
  const { dataDir } = embedded(readEnvironment(environment));
  const [directory = ''] = words;
  mustHoldData(dataDir);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (readdirSync(directory).length > 0) throw new Error(`${directory} is not empty; name a new directory.`);
  for (const name of databases) snapshot(join(dataDir, name), join(directory, name));
  const withKey = flags['without-key'] !== true && existsSync(join(dataDir, keyName));
  if (withKey) copyFileSync(join(dataDir, keyName), join(directory, keyName));
  const names = [...databases, ...(withKey ? [keyName] : [])];
  const files = Object.fromEntries(names.map((name) => [name, digestOf(join(directory, name))]));
  const manifest: Manifest = { format: 'countersign-backup-1', createdAt: new Date().toISOString(), files };
  writeFileSync(join(directory, manifestName), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  for (const name of [...names, manifestName]) toDisk(join(directory, name));
  console.out(`Backed up ${names.join(', ')} to ${directory}.`);
  console.out(
    withKey
      ? 'It holds the master key: keep it as you keep the key.'
      : 'It does not hold the master key: keep that elsewhere, the vault opens with nothing else.',
  );
  return 0;
}

/** Opening the stores would make what is not there. @throws Error where nothing was ever recorded */
export function mustHoldData(dataDir: string): void {
  if (!existsSync(join(dataDir, databases[0]))) throw new Error(`There is no data in ${dataDir}; set DATA_DIR.`);
}

/** @throws Error where the stores are an engine's */
export function embedded(environment: Environment): Environment {
  if (environment.eventStore.kind === 'embedded' && environment.readStore.kind === 'embedded') return environment;
  throw new Error('backup and restore are for the embedded stores; use the tools of the engines for theirs.');
}

function snapshot(from: string, to: string): void {
  const database = new DatabaseSync(from, { readOnly: true, timeout: 10_000 });
  try {
    database.prepare('VACUUM INTO ?').run(to);
  } finally {
    database.close();
  }
}

export function digestOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

export function toDisk(path: string): void {
  const file = openSync(path, 'r+');
  fsyncSync(file);
  closeSync(file);
}
