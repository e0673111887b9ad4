import git from 'isomorphic-git';
import {
  type GitCommit,
  GitRefused,
  type GitRelation,
  gitLimits,
} from '../../../ports/offloaded/git-repositories.port.js';
import type { SentCommit, SentFile } from './git-protocol.js';
import { gitdir, type ObjectFiles } from './object-files.js';
import { type TreeEntry, treeEntries } from './tree-entries.js';

interface Folder {
  readonly files: SentFile[];
  readonly folders: Map<string, Folder>;
}

interface Flattened {
  readonly files: SentFile[];
  folders: number;
}

export class RepositoryWork {
  private readonly about;
  private readonly cache = {};

  constructor(private readonly files: ObjectFiles) {
    this.about = { fs: files, gitdir, cache: this.cache };
  }

  async tree(sha: string): Promise<readonly SentFile[]> {
    const { tree } = await this.commitOf(sha);
    const found: Flattened = { files: [], folders: 0 };
    await this.flatten(tree, '', 0, found);
    return found.files.sort((one, other) => (one.path < other.path ? -1 : 1));
  }

  async contents(oids: readonly string[]): Promise<readonly (readonly [string, Uint8Array])[]> {
    const found: (readonly [string, Uint8Array])[] = [];
    for (const oid of oids) found.push([oid, (await this.object(oid)).bytes]);
    return found;
  }

  async commit({ tree, contents, parents, message, author, at }: SentCommit): Promise<string> {
    const has = await this.known();
    for (const [oid, blob] of contents) if (!has(oid)) await git.writeBlob({ ...this.about, blob });
    const root = await this.writeFolder(foldersOf(tree));
    const signature = { ...author, timestamp: at, timezoneOffset: 0 };
    const commit = { tree: root, parent: [...parents], message, author: signature, committer: signature };
    return await git.writeCommit({ ...this.about, commit });
  }

  async log(sha: string, limit: number): Promise<readonly GitCommit[]> {
    const found = await git.log({ ...this.about, ref: sha, depth: limit });
    return found.map(({ oid, commit: { message, parent, author } }) => ({
      sha: oid,
      parents: parent,
      message,
      author: { name: author.name, email: author.email },
      at: author.timestamp,
    }));
  }

  async relation(one: string, other: string): Promise<GitRelation> {
    const [mine, theirs] = [await this.ancestors([one]), await this.ancestors([other])];
    const [base] = (await git.findMergeBase({ ...this.about, oids: [one, other] })) as readonly string[];
    const only = (set: ReadonlySet<string>, without: ReadonlySet<string>) =>
      [...set].filter((sha) => !without.has(sha)).length;
    return { ahead: only(mine, theirs), behind: only(theirs, mine), base };
  }

  /** Returns oids, without objects that are reachable from the commits in `without`. */
  async reachable(sha: string, without: readonly string[]): Promise<readonly string[]> {
    const known = await this.ancestors(without);
    const objects = new Set<string>(known);
    for (const one of without) await this.gather((await this.commitOf(one)).tree, objects, 0);
    const before = objects.size;
    for (const one of await this.ancestors([sha], known)) {
      objects.add(one);
      await this.gather((await this.commitOf(one)).tree, objects, 0);
    }
    return [...objects].slice(before);
  }

  /**
   * Checks that the repository has the commit and all objects reachable from it. Skips objects for which `isOld` is
   * true, and everything that they refer to.
   * @throws GitRefused if an object is missing
   */
  async mustBeWhole(sha: string, known: (oid: string) => boolean, isOld: (oid: string) => boolean): Promise<void> {
    const walked = new Set<string>();
    const waiting = [sha];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (walked.has(next) || isOld(next)) continue;
      walked.add(next);
      if (!known(next)) throw incomplete();
      const { tree, parent } = await this.commitOf(next);
      await this.mustHaveTree(tree, known, isOld, walked, 0);
      waiting.push(...parent);
    }
  }

  private async mustHaveTree(
    oid: string,
    known: (oid: string) => boolean,
    isOld: (oid: string) => boolean,
    walked: Set<string>,
    depth: number,
  ): Promise<void> {
    if (walked.has(oid) || isOld(oid)) return;
    walked.add(oid);
    if (!known(oid)) throw incomplete();
    if (depth > gitLimits.depth) throw tooDeep();
    for (const entry of await this.entries(oid, '')) {
      if (entry.kind === 'tree') await this.mustHaveTree(entry.oid, known, isOld, walked, depth + 1);
      else if (!known(entry.oid)) throw incomplete();
    }
  }

  private async gather(oid: string, objects: Set<string>, depth: number): Promise<void> {
    if (objects.has(oid)) return;
    objects.add(oid);
    if (depth > gitLimits.depth) throw tooDeep();
    for (const entry of await this.entries(oid, '')) {
      if (entry.kind === 'tree') await this.gather(entry.oid, objects, depth + 1);
      else objects.add(entry.oid);
    }
  }

  /** Omits the commits in `known` and everything reachable only through them. */
  private async ancestors(shas: readonly string[], known: ReadonlySet<string> = new Set()): Promise<Set<string>> {
    const found = new Set<string>();
    const waiting = [...shas];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (found.has(next) || known.has(next)) continue;
      found.add(next);
      waiting.push(...(await this.commitOf(next)).parent);
    }
    return found;
  }

  /** Folders are counted too, because a few small objects can describe billions of folders without a file. */
  private async flatten(oid: string, path: string, depth: number, found: Flattened): Promise<void> {
    if (depth > gitLimits.depth) throw tooDeep();
    found.folders += 1;
    if (found.folders > gitLimits.files) throw tooMany('folders');
    for (const { name, oid: inner, kind } of await this.entries(oid, path)) {
      if (Buffer.byteLength(path + name) > gitLimits.pathBytes) {
        throw new GitRefused(`A path may have at most ${gitLimits.pathBytes} bytes: ${(path + name).slice(0, 100)}…`);
      }
      if (kind === 'tree') await this.flatten(inner, `${path}${name}/`, depth + 1, found);
      else found.files.push({ path: path + name, oid: inner, isExecutable: kind === 'executable' });
      if (found.files.length > gitLimits.files) throw tooMany('files');
    }
  }

  private async writeFolder({ files, folders }: Folder): Promise<string> {
    const entries: { path: string; mode: string; oid: string; type: 'blob' | 'tree' }[] = files.map(
      ({ path, oid, isExecutable }) => ({ path, oid, mode: isExecutable ? '100755' : '100644', type: 'blob' }),
    );
    for (const [path, inner] of folders) {
      entries.push({ path, mode: '040000', oid: await this.writeFolder(inner), type: 'tree' });
    }
    return await git.writeTree({ ...this.about, tree: entries });
  }

  private async known(): Promise<(oid: string) => boolean> {
    const oids = await this.files.oids();
    return (oid) => oids.has(oid);
  }

  private async entries(oid: string, path: string): Promise<readonly TreeEntry[]> {
    const { type, bytes } = await this.object(oid);
    if (type !== 'tree') throw new GitRefused('A folder in the history is not a valid folder.');
    return treeEntries(bytes, path);
  }

  private async object(oid: string): Promise<{ readonly type: string; readonly bytes: Buffer }> {
    const found = await git.readObject({ ...this.about, oid, format: 'content' }).catch(missing);
    if (found.format !== 'content') throw incomplete();
    return { type: found.type, bytes: Buffer.from(found.object) };
  }

  private async commitOf(oid: string) {
    const { commit } = await git.readCommit({ ...this.about, oid }).catch(missing);
    return commit;
  }
}

function missing(error: unknown): never {
  if (error instanceof Error && error.name === 'NotFoundError') throw incomplete();
  if (error instanceof Error && error.name === 'ObjectTypeError') throw new GitRefused('The object is not a commit.');
  throw error;
}

const incomplete = () => new GitRefused('The history is incomplete: an object that it refers to is missing.');
const tooMany = (what: 'files' | 'folders') => new GitRefused(`A project may have at most ${gitLimits.files} ${what}.`);
const tooDeep = () => new GitRefused(`A path may have at most ${gitLimits.depth} folders.`);

function foldersOf(files: readonly SentFile[]): Folder {
  const root: Folder = { files: [], folders: new Map() };
  for (const file of files) {
    const names = file.path.split('/');
    const name = names.pop() ?? '';
    let folder = root;
    for (const one of names) {
      const inner = folder.folders.get(one) ?? { files: [], folders: new Map() };
      folder.folders.set(one, inner);
      folder = inner;
    }
    folder.files.push({ ...file, path: name });
  }
  return root;
}
