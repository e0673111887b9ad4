import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readEnvironment } from '../config/environment.js';
import {
  type BackupManifest,
  blobsFolder,
  embedded,
  fileDigest,
  fileList,
  keyName,
  manifestName,
  textsName,
  toDisk,
} from './backup.js';
import type { Invocation } from './invocation.js';
import { adviceOnMessages } from './messages-left.js';

export async function restore({ words, environment, console }: Invocation): Promise<number> {
  const settings = readEnvironment(environment);
  const { dataDir, masterKey } = embedded(settings);
  const [directory = ''] = words;
  const manifest = manifestOf(directory);
  const names = Object.keys(manifest.files);
  const changed = names.find((name) => fileDigest(join(directory, name)) !== manifest.files[name]);
  if (changed !== undefined) throw new Error(`${changed} differs from what was backed up; restore from another copy.`);
  const present = [...names, 'read.db', textsName, blobsFolder].find((name) => existsSync(join(dataDir, name)));
  if (present !== undefined)
    throw new Error(`${dataDir} already contains ${present}; restore into an empty data directory.`);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  for (const name of names) {
    mkdirSync(dirname(join(dataDir, name)), { recursive: true, mode: 0o700 });
    copyFileSync(join(directory, name), join(dataDir, name));
    chmodSync(join(dataDir, name), 0o600);
    const { atime, mtime } = statSync(join(directory, name));
    utimesSync(join(dataDir, name), atime, mtime);
    toDisk(join(dataDir, name));
  }
  console.out(`Restored ${fileList(names)} from ${manifest.createdAt} to ${dataDir}; start the service.`);
  if (!names.includes(keyName) && masterKey === undefined) {
    console.out(
      'This backup contains no master key: before the start, set MASTER_KEY, or put master.key next to the files.',
    );
  }
  for (const line of adviceOnMessages(settings)) console.error(line);
  return 0;
}

function manifestOf(directory: string): BackupManifest {
  const path = join(directory, manifestName);
  if (!existsSync(path)) throw new Error(`${directory} is not a backup: it has no ${manifestName}.`);
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as BackupManifest;
  if (manifest.format === 'countersign-backup-1' && Object.keys(manifest.files).every(isPlainName)) return manifest;
  throw new Error(`${directory} contains a backup in another format; restore it with the version that created it.`);
}

/** No name in these forms can point outside the directory. */
const isPlainName = (name: string) =>
  /^[a-z]+\.(db|key)$/.test(name) || /^blobs(\/[A-Za-z0-9_-][A-Za-z0-9_.-]*)+$/.test(name);
