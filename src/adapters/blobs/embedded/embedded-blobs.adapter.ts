import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, rmdir, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { KeyedMutex } from '../../../kernel/keyed-mutex.js';
import { Blobs, BlobsUnavailable, mustBeBlobName, type SealedBlob } from '../../../ports/blobs.port.js';
import type { Clock } from '../../../ports/clock.port.js';
import { Envelope } from '../../vault/envelope.js';
import { openBlob, sealBlob } from '../sealed-blob.js';
import { fileErrorCode, fileErrorText } from './file-errors.js';

export interface EmbeddedBlobsOptions {
  readonly directory: string;
  /** Master key of the vault, 32 bytes. */
  readonly masterKey: Uint8Array;
  readonly clock: Clock;
}

interface Age {
  readonly before?: number;
}

/** Folder of files that are being written. Blob names never begin with a dot, so no blob can be in this folder. */
const unfinished = '.unfinished';
/** Age at which an unfinished file is removed, in milliseconds. No write takes this long. */
const abandonedMs = 3_600_000;
const mostTries = 10;

/** A file's modification time is the time at which its blob was put. */
export class EmbeddedBlobs extends Blobs {
  private readonly root: string;
  private readonly envelope: Envelope;
  private readonly clock: Clock;
  private readonly known = new Set<string>();
  private readonly writes = new Set<Promise<void>>();
  /** Locks a blob's name, because its file must not change between a check and its use. */
  private readonly changing = new KeyedMutex();
  private closed = false;

  constructor({ directory, masterKey, clock }: EmbeddedBlobsOptions) {
    super();
    this.root = join(directory, 'blobs');
    this.envelope = new Envelope(masterKey);
    this.clock = clock;
  }

  override async put(name: string, value: Uint8Array): Promise<void> {
    mustBeBlobName(name);
    this.mustBeOpen();
    await this.store(name, sealBlob(this.envelope, name, value), this.clock.now());
  }

  override async open(name: string): Promise<Uint8Array | undefined> {
    mustBeBlobName(name);
    this.mustBeOpen();
    const blob = await available(() => readFile(this.pathOf(name)).catch(undefinedIfGone));
    return blob && openBlob(this.envelope, name, blob);
  }

  override async destroy(name: string, { before }: Age = {}): Promise<void> {
    mustBeBlobName(name);
    this.mustBeOpen();
    const path = this.pathOf(name);
    await this.changing.run(name, () =>
      available(async () => {
        if (before !== undefined && !(await isOlder(path, before))) return;
        await rm(path, { force: true });
        await this.toDisk(dirname(path)).catch(undefinedIfGone);
      }),
    );
  }

  override async names(folder: string, { before }: Age = {}): Promise<readonly string[]> {
    mustBeBlobName(folder);
    this.mustBeOpen();
    return available(async () => {
      const all = await this.namesBelow(folder);
      if (before === undefined) return all;
      const old: string[] = [];
      for (const name of all) if (await isOlder(this.pathOf(name), before)) old.push(name);
      return old;
    });
  }

  override async destroyAll(folder: string, { before }: Age = {}): Promise<void> {
    mustBeBlobName(folder);
    this.mustBeOpen();
    await available(async () => {
      await this.clear(this.pathOf(folder), before);
      await this.removeIn(join(this.root, unfinished), this.clock.now() - abandonedMs);
    });
  }

  override async *sealedBlobs(): AsyncIterable<SealedBlob> {
    this.mustBeOpen();
    const names = await available(() => this.namesBelow(''));
    for (const name of names.sort()) {
      const blob = await available(() => this.sealedBlob(name).catch(undefinedIfGone));
      if (blob !== undefined) yield blob;
    }
  }

  override async putSealed({ name, sealed, putAt }: SealedBlob): Promise<void> {
    mustBeBlobName(name);
    this.mustBeOpen();
    openBlob(this.envelope, name, Buffer.from(sealed));
    await this.store(name, sealed, putAt);
  }

  override async check(): Promise<void> {
    this.mustBeOpen();
    await available(() => this.made(join(this.root, unfinished)));
  }

  override async close(): Promise<void> {
    this.closed = true;
    await Promise.allSettled(this.writes);
  }

  private pathOf(name: string): string {
    return join(this.root, ...name.split('/'));
  }

  private async namesBelow(folder: string): Promise<string[]> {
    const entries = (await readdir(this.pathOf(folder), { withFileTypes: true }).catch(undefinedIfGone)) ?? [];
    const names: string[] = [];
    for (const entry of entries) {
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (name === unfinished) continue;
      // Not `names.push(...below)`, because the number of arguments of a call is limited.
      if (entry.isDirectory()) for (const below of await this.namesBelow(name)) names.push(below);
      else names.push(name);
    }
    return names;
  }

  private async sealedBlob(name: string): Promise<SealedBlob> {
    const { mtimeMs } = await stat(this.pathOf(name));
    return { name, sealed: await readFile(this.pathOf(name)), putAt: Math.round(mtimeMs) };
  }

  private async store(name: string, blob: Uint8Array, putAt: number): Promise<void> {
    const write = this.changing.run(name, () => available(() => this.write(name, blob, putAt)));
    this.writes.add(write);
    await write.finally(() => this.writes.delete(write));
  }

  /** Flushes the content to disk before the file gets its name, and the folder before the promise resolves. */
  private async write(name: string, blob: Uint8Array, putAt: number): Promise<void> {
    const path = this.pathOf(name);
    const part = join(await this.made(join(this.root, unfinished)), randomUUID());
    try {
      const file = await open(part, 'wx', 0o600);
      try {
        await file.writeFile(blob);
        await file.sync();
      } finally {
        await file.close();
      }
      const at = putAt / 1_000;
      await utimes(part, at, at);
      await this.named(part, path);
    } catch (error) {
      await rm(part, { force: true }).catch(() => undefined);
      throw error;
    }
  }

  private async named(part: string, path: string): Promise<void> {
    const folder = dirname(path);
    for (let tries = 1; ; tries += 1) {
      try {
        await this.made(folder);
        await rename(part, path);
        return await this.toDisk(folder);
      } catch (error) {
        if (fileErrorCode(error) !== 'ENOENT' || tries === mostTries) throw error;
        for (let gone = folder; gone !== this.root; gone = dirname(gone)) this.known.delete(gone);
      }
    }
  }

  private async made(folder: string): Promise<string> {
    if (this.known.has(folder)) return folder;
    if (folder !== this.root) await this.made(dirname(folder));
    await mkdir(folder, { mode: 0o700, recursive: folder === this.root }).catch(undefinedIfThere);
    await this.toDisk(dirname(folder));
    this.known.add(folder);
    return folder;
  }

  private async toDisk(folder: string): Promise<void> {
    const handle = await open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }

  private async clear(folder: string, before: number | undefined): Promise<void> {
    const entryCount = await this.removeIn(folder, before);
    const emptied = await rmdir(folder).then(
      () => true,
      () => false,
    );
    if (emptied) this.known.delete(folder);
    else if (entryCount > 0) await this.toDisk(folder).catch(undefinedIfGone);
  }

  /** The folder itself remains, because concurrent calls can be writing into it. */
  private async removeIn(folder: string, before: number | undefined): Promise<number> {
    const entries = (await readdir(folder, { withFileTypes: true }).catch(undefinedIfGone)) ?? [];
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) await this.clear(path, before);
      else if (before === undefined || (await isOlder(path, before))) await rm(path, { force: true });
    }
    return entries.length;
  }

  private mustBeOpen(): void {
    if (this.closed) throw new BlobsUnavailable('The blobs are closed: the service is stopping.');
  }
}

async function isOlder(path: string, before: number): Promise<boolean> {
  const found = await stat(path).catch(undefinedIfGone);
  return found !== undefined && found.mtimeMs < before;
}

async function available<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const trouble = fileErrorText(error);
    if (trouble === undefined) throw error;
    throw new BlobsUnavailable(`The blobs are not available: ${trouble}.`, { cause: error });
  }
}

function undefinedIfGone(error: unknown): undefined {
  if (fileErrorCode(error) !== 'ENOENT') throw error;
  return undefined;
}

function undefinedIfThere(error: unknown): undefined {
  if (fileErrorCode(error) !== 'EEXIST') throw error;
  return undefined;
}
