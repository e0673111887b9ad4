import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fstatSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { privateDirectory } from '../../files/private-files.js';

const keyBytes = 32;
const fileName = 'master.key';
const othersMayUse = 0o077;

export interface MasterKeySource {
  /** Value of the environment variable MASTER_KEY. An empty value is treated as missing. */
  readonly text?: string | undefined;
  /** The file `master.key` is created here at the first start if MASTER_KEY is not set. */
  readonly directory: string;
}

/**
 * Creates the file with the key, readable only by its owner, if MASTER_KEY is not set and there is no file.
 * @throws Error with one sentence that does not contain the key
 */
export function readMasterKey({ text, directory }: MasterKeySource): Buffer {
  return fromEnvironment(text) ?? fromFile(directory);
}

/** Like `readMasterKey`, but returns undefined instead of creating a key. */
export function findMasterKey({ text, directory }: MasterKeySource): Buffer | undefined {
  const path = join(directory, fileName);
  return fromEnvironment(text) ?? (existsSync(path) ? readFile(path) : undefined);
}

function fromEnvironment(text: string | undefined): Buffer | undefined {
  return text === undefined || text.trim() === '' ? undefined : parse(text, 'MASTER_KEY');
}

function fromFile(directory: string): Buffer {
  privateDirectory(directory);
  return makeFile(directory) ?? readFile(join(directory, fileName));
}

function parse(text: string, source: string): Buffer {
  const key = decode(text.trim());
  if (key?.length === keyBytes) return key;
  throw new Error(
    `${source} must be ${keyBytes} bytes: 64 hexadecimal characters, or 43 or 44 of base64 or base64url.`,
  );
}

function decode(text: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  if (/^([\w-]{43}|[A-Za-z0-9+/]{43})=?$/.test(text)) return Buffer.from(text, 'base64url');
  return undefined;
}

/** The new key is durable before it is used. Returns undefined if the file already exists. */
function makeFile(directory: string): Buffer | undefined {
  const file = openNew(join(directory, fileName));
  if (file === undefined) return undefined;
  const key = randomBytes(keyBytes);
  try {
    writeSync(file, `${key.toString('hex')}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  const entry = openSync(directory, 'r');
  try {
    fsyncSync(entry);
  } finally {
    closeSync(entry);
  }
  return key;
}

function openNew(path: string): number | undefined {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw error;
  }
}

function readFile(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    // Checks the open file rather than its path, so the file that was checked is the one that is read.
    if ((fstatSync(file).mode & othersMayUse) !== 0) {
      throw new Error(`${fileName} can be read by users other than its owner: run chmod 600 on it, and start again.`);
    }
    return parse(readFileSync(file, 'utf8'), fileName);
  } finally {
    closeSync(file);
  }
}
