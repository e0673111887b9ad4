import { mkdir, open, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KeyedMutex } from '../../../kernel/keyed-mutex.js';
import type { Blobs } from '../../../ports/blobs.port.js';
import { GitRefused, type GitRepository } from '../../../ports/offloaded/git-repositories.port.js';

/**
 * Blobs are named `git/<workspace>/<repository>/<pack>/<part>`. The parts of a pack file are `pack-0`, `pack-1` and so
 * on, and those of its index `idx-0` and so on. An empty blob `joined` is stored when the pack is joined into another.
 */
export const allRepositories = 'git';

/** The sizes can be read from the name `<sha1>-<bytes of the pack>-<bytes of its index>`. */
export const packName = (digest: string, pack: number, index: number): string => `${digest}-${pack}-${index}`;

export const packBytesOf = (name: string): number => Number(name.split('-')[1]);
const indexBytesOf = (name: string): number => Number(name.split('-')[2]);

/** Size of a part, in bytes. Two parts of a pack are in memory at a time. */
const partBytes = 4 * 1024 * 1024;
/**
 * A repository's folder that has not been opened for this long is deleted, because the packs are also in the blob
 * store.
 */
const unusedMs = 24 * 3_600_000;
const sweepEveryMs = 3_600_000;

/**
 * The files are local copies of blobs; all processes share the blobs. A thread's new packs are stored as blobs before
 * the thread's result is returned.
 */
export class PackFolders {
  private readonly locks = new KeyedMutex();
  private swept = 0;

  constructor(
    private readonly root: string,
    private readonly blobs: Blobs,
  ) {}

  /**
   * Returns a folder that contains at least the packs that `repository` lists.
   * @throws GitRefused, BlobsUnavailable
   */
  async open(repository: GitRepository): Promise<string> {
    const folder = join(this.root, repository.workspaceId, repository.id);
    return await this.locks.run(folder, async () => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await this.sweep();
      const now = new Date();
      await utimes(folder, now, now);
      const there = new Set(await readdir(folder));
      for (const pack of repository.packs) {
        // The index is written last, so a pack with an index is complete.
        if (!there.has(`${pack}.idx`)) await this.fetch(repository, folder, pack);
      }
      return folder;
    });
  }

  /**
   * The pack is durable when the promise resolves. Idempotent.
   * @throws BlobsUnavailable
   */
  async store(repository: GitRepository, folder: string, pack: string): Promise<void> {
    for (const kind of kinds) {
      const file = await open(join(folder, `${pack}.${kind}`), 'r');
      try {
        for (let at = 0; ; at += partBytes) {
          const { bytesRead, buffer } = await file.read(Buffer.alloc(partBytes), 0, partBytes, at);
          if (bytesRead === 0) break;
          await this.blobs.put(blobOf(repository, pack, kind, at), buffer.subarray(0, bytesRead));
        }
      } finally {
        await file.close();
      }
    }
  }

  /**
   * Must resolve before a record names the new list. Stores an empty blob `joined` for each of `packs`, so that
   * `removeUnnamed` treats them like new packs. Other processes can still need them, because they have read the
   * repository's earlier list of packs.
   * @throws BlobsUnavailable
   */
  async joined({ workspaceId, id }: GitRepository, packs: readonly string[]): Promise<void> {
    for (const pack of packs) {
      await this.blobs.put(`${allRepositories}/${workspaceId}/${id}/${pack}/joined`, new Uint8Array());
    }
  }

  /**
   * Removes packs that their repository does not list, if all their blobs, including `joined`, are older than `before`.
   * @throws BlobsUnavailable, and errors of `namedBy`
   */
  async removeUnnamed(
    before: number,
    namedBy: (workspaceId: string, id: string) => Promise<readonly string[]>,
  ): Promise<void> {
    const old = await this.blobs.names(allRepositories, { before });
    const ofRepositories = Map.groupBy(old, (name) => name.split('/').slice(0, 3).join('/'));
    for (const [folder, names] of ofRepositories) {
      const [, workspaceId = '', id = ''] = folder.split('/');
      const named = new Set(await namedBy(workspaceId, id));
      const unnamed = names.filter((name) => !named.has(packOf(name)));
      if (unnamed.length === 0) continue;
      // The blobs are listed after `named` was read. A pack's blob `joined` is stored before the pack leaves the
      // repository's list, so it is found here.
      const stillOld = new Set(await this.blobs.names(folder, { before }));
      const young = new Set((await this.blobs.names(folder)).filter((name) => !stillOld.has(name)).map(packOf));
      // `before` protects a pack that was stored again in the meantime.
      for (const name of unnamed) if (!young.has(packOf(name))) await this.blobs.destroy(name, { before });
    }
  }

  private async fetch(repository: GitRepository, folder: string, pack: string): Promise<void> {
    for (const kind of kinds) {
      const size = kind === 'pack' ? packBytesOf(pack) : indexBytesOf(pack);
      const temporary = join(folder, `${pack}.${kind}.${process.pid}.tmp`);
      await rm(temporary, { force: true });
      for (let at = 0; at < size; at += partBytes) {
        const part = await this.blobs.open(blobOf(repository, pack, kind, at));
        if (part === undefined) throw new GitRefused('A part of the history is no longer in the blob store.');
        await writeFile(temporary, part, { flag: 'a', mode: 0o600 });
      }
      await rename(temporary, join(folder, `${pack}.${kind}`));
    }
  }

  private async sweep(): Promise<void> {
    if (Date.now() - this.swept < sweepEveryMs) return;
    this.swept = Date.now();
    for (const workspace of await readdir(this.root)) {
      for (const one of await readdir(join(this.root, workspace))) {
        const folder = join(this.root, workspace, one);
        const found = await stat(folder).catch(() => undefined);
        if (found !== undefined && Date.now() - found.mtimeMs > unusedMs) {
          await rm(folder, { recursive: true, force: true });
        }
      }
    }
  }
}

const kinds = ['pack', 'idx'] as const;

const packOf = (blob: string): string => blob.split('/')[3] ?? '';

const blobOf = ({ workspaceId, id }: GitRepository, pack: string, kind: (typeof kinds)[number], at: number) =>
  `${allRepositories}/${workspaceId}/${id}/${pack}/${kind}-${at / partBytes}`;
