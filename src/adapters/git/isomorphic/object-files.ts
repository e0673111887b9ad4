import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packEntries } from './pack-files.js';

export const gitdir = '/repository';

const missing = (path: string) => Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' });
const stat = (isFile: boolean, size = 0) => ({
  type: isFile ? 'file' : 'dir',
  mode: isFile ? 0o100644 : 0o40000,
  size,
  ino: 0,
  mtimeMs: 0,
  ctimeMs: 0,
  uid: 0,
  gid: 0,
  dev: 0,
  isFile: () => isFile,
  isDirectory: () => !isFile,
  isSymbolicLink: () => false,
});

/** Reads the packs of one repository from files. New objects are only in memory; nothing is written to disk. */
export class ObjectFiles {
  private readonly fresh = new Map<string, Uint8Array>();

  constructor(
    private readonly folder: string,
    private readonly packs: readonly string[],
    private readonly read: ReadonlyMap<string, Uint8Array> = new Map(),
  ) {}

  readonly promises = {
    readFile: async (path: string, options?: string | { readonly encoding?: string }) => {
      const encoding = typeof options === 'string' ? options : options?.encoding;
      const bytes = await this.bytesOf(path);
      return encoding === undefined ? bytes : Buffer.from(bytes).toString('utf8');
    },
    writeFile: async (path: string, bytes: Uint8Array) => void this.fresh.set(path, bytes),
    readdir: async (path: string) =>
      path === `${gitdir}/objects/pack` ? this.packs.flatMap((pack) => [`pack-${pack}.idx`, `pack-${pack}.pack`]) : [],
    stat: async (path: string) => this.statOf(path),
    lstat: async (path: string) => this.statOf(path),
    unlink: async (path: string) => void this.fresh.delete(path),
    mkdir: async () => undefined,
    rmdir: async () => undefined,
    readlink: async (path: string) => Promise.reject(missing(path)),
    symlink: async (_: string, path: string) => Promise.reject(missing(path)),
  };

  written(): readonly string[] {
    return [...this.fresh.keys()].flatMap((path) => {
      const [, first, rest] = /\/objects\/([0-9a-f]{2})\/([0-9a-f]{38})$/.exec(path) ?? [];
      return first === undefined || rest === undefined ? [] : [first + rest];
    });
  }

  async oids(): Promise<ReadonlySet<string>> {
    const indexes = await Promise.all(this.packs.map((pack) => readFile(join(this.folder, `${pack}.idx`))));
    return new Set(indexes.flatMap((index) => packEntries(index).map(({ oid }) => oid)));
  }

  private async bytesOf(path: string): Promise<Uint8Array> {
    const fresh = this.fresh.get(path);
    if (fresh !== undefined) return fresh;
    const [, file] = /\/objects\/pack\/pack-([^/]+)$/.exec(path) ?? [];
    if (file === undefined) throw missing(path);
    return this.read.get(file) ?? (await readFile(join(this.folder, file)));
  }

  private async statOf(path: string) {
    const fresh = this.fresh.get(path);
    if (fresh !== undefined) return stat(true, fresh.length);
    if (path.endsWith('/objects/pack') || path === gitdir) return stat(false);
    throw missing(path);
  }
}
