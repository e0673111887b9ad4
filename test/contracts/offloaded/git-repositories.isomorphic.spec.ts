// Second tier.
import { createHash, randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { EmbeddedBlobs } from '../../../src/adapters/blobs/embedded/embedded-blobs.adapter.js';
import { IsomorphicGit } from '../../../src/adapters/git/isomorphic/isomorphic-git.adapter.js';
import { GitRefused, type GitRepository, type GitTree } from '../../../src/ports/offloaded/git-repositories.port.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { RealGit } from '../../support/git/real-git.js';
import { EmbeddedDirectory } from '../embedded-directory.js';

const directory = new EmbeddedDirectory();
const clock = new MadeUpClock();
const blobs = new EmbeddedBlobs({ directory: directory.path, masterKey: randomBytes(32), clock });
const repositories = new IsomorphicGit({ blobs, folder: directory.file('git') });
const real = new RealGit();
afterAll(async () => {
  await repositories.close();
  await blobs.close();
  directory.remove();
  real.remove();
});

let made = 0;
const empty = (): GitRepository => ({ workspaceId: 'ws_1', id: `proj_${made++}`, packs: [] });
const folderOf = ({ workspaceId, id }: GitRepository) => directory.file(`git/${workspaceId}/${id}`);
const oidOf = (bytes: Uint8Array) => createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
const author = { name: 'Ada', email: 'ada@example.com' };

function treeOf(files: Readonly<Record<string, string>>) {
  const pairs = Object.entries(files).map(([path, text]) => [path, Buffer.from(text)] as const);
  const tree: GitTree = new Map(pairs.map(([path, bytes]) => [path, { oid: oidOf(bytes), isExecutable: false }]));
  return { tree, contents: new Map(pairs.map(([, bytes]) => [oidOf(bytes), bytes])) };
}

async function commit(
  repository: GitRepository,
  files: Readonly<Record<string, string>>,
  parents: readonly string[] = [],
  message = 'One',
) {
  const written = await repositories.commit(repository, {
    ...treeOf(files),
    parents,
    message,
    author,
    at: 1_700_000_000,
  });
  return { sha: written.sha, repository: { ...repository, packs: written.packs } };
}

const pieces = async function* (bytes: Uint8Array) {
  for (let at = 0; at < bytes.length; at += 10_000) yield bytes.subarray(at, at + 10_000);
};
const receive = (repository: GitRepository, sha: string, pack: Uint8Array) =>
  repositories.receive(repository, sha, pieces(pack));

describe('git repositories: isomorphic-git', () => {
  it('creates commits that git itself reads, byte for byte', async () => {
    const files = { 'pages/index.tsx': 'home ü\r\n', 'pages/a/[slug].tsx': 'slug', 'site.json': '{}\n', 'a b.txt': '' };
    const one = await commit(empty(), files, [], 'First\n\nWith a body.');
    real.adopt('first', folderOf(one.repository), one.repository, one.sha);
    expect(real.text('first', 'ls-tree', '-r', '--name-only', '-z', 'main').split('\0').filter(Boolean)).toEqual(
      Object.keys(files).toSorted(),
    );
    for (const [path, text] of Object.entries(files)) {
      expect(real.run('first', ['show', `main:${path}`]).toString()).toBe(text);
    }
    expect(real.text('first', 'log', '-1', '--format=%an <%ae>|%at|%B')).toBe(
      'Ada <ada@example.com>|1700000000|First\n\nWith a body.',
    );
  });

  it('reads its own commits: files, contents, the log, and ancestry', async () => {
    const one = await commit(empty(), { a: '1', 'b/c': '2' });
    const two = await commit(one.repository, { a: '1', 'b/c': '3' }, [one.sha], 'Two');
    const other = await commit(two.repository, { a: '4', 'b/c': '2' }, [one.sha], 'Other');
    const { repository } = other;
    const tree = await repositories.tree(repository, two.sha);
    expect([...tree.keys()]).toEqual(['a', 'b/c']);
    const oid = tree.get('b/c')?.oid ?? '';
    expect(Buffer.from((await repositories.contents(repository, [oid])).get(oid) ?? []).toString()).toBe('3');
    expect((await repositories.log(repository, two.sha, 5)).map(({ sha, message }) => [sha, message])).toEqual([
      [two.sha, 'Two\n'],
      [one.sha, 'One\n'],
    ]);
    expect(await repositories.relation(repository, two.sha, other.sha)).toEqual({ ahead: 1, behind: 1, base: one.sha });
    const stranger = await commit(repository, { z: '1' }, [], 'Stranger');
    expect(await repositories.relation(stranger.repository, two.sha, stranger.sha)).toMatchObject({ base: undefined });
    expect(await repositories.has(repository, one.sha)).toBe(true);
    expect(await repositories.has(repository, '0'.repeat(40))).toBe(false);
  });

  it('has few packs for any number of commits, in which git finds no fault', async () => {
    let last = await commit(empty(), { a: '0', b: randomBytes(50_000).toString('hex') });
    const files = (n: number) => ({ a: String(n), [`dir/${n}`]: 'x'.repeat(n) });
    for (let n = 1; n <= 40; n++) last = await commit(last.repository, files(n), [last.sha], `Commit ${n}`);
    expect(last.repository.packs.length).toBeLessThanOrEqual(6);
    real.adopt('many', folderOf(last.repository), last.repository, last.sha);
    expect(real.text('many', 'rev-list', '--count', 'main')).toBe('41');
  });

  it('is shared: another process gets everything from the blob store', async () => {
    const one = await commit(empty(), { a: randomBytes(3_000_000).toString('hex') });
    const other = new IsomorphicGit({ blobs, folder: directory.file('elsewhere') });
    expect([...(await other.tree(one.repository, one.sha)).keys()]).toEqual(['a']);
    await other.close();
    rmSync(folderOf(one.repository), { recursive: true });
    expect([...(await repositories.tree(one.repository, one.sha)).keys()]).toEqual(['a']);
  });

  it('removes packs that are not named, unless they were stored or joined recently', async () => {
    const day = 24 * 3_600_000;
    const one = await commit(empty(), { a: '1' });
    clock.advance(2 * day);
    const two = await commit(one.repository, { a: '2' }, [one.sha]);
    await commit(two.repository, { a: 'never recorded' }, [two.sha]);
    const { workspaceId, id, packs } = two.repository;
    const stored = async () =>
      [...new Set((await blobs.names(`git/${workspaceId}/${id}`)).map((name) => name.split('/')[3]))].sort();
    const named = async (_: string, asked: string) => (asked === id ? packs : []);
    await repositories.removeUnnamed(clock.now() - day, named);
    expect(await stored()).toHaveLength(3);
    // This process read the record before the packs were joined.
    const behind = new IsomorphicGit({ blobs, folder: directory.file('behind') });
    expect([...(await behind.tree(one.repository, one.sha)).keys()]).toEqual(['a']);
    await behind.close();
    clock.advance(2 * day);
    await repositories.removeUnnamed(clock.now() - day, named);
    expect(await stored()).toEqual([...packs].sort());
    expect([...(await repositories.tree(two.repository, one.sha)).keys()]).toEqual(['a']);
  });

  it('reads packs of git, including deltas, and makes packs that git reads', async () => {
    real.init('work');
    const lines = (n: number) =>
      Array.from({ length: 2_000 }, (_, line) => `${line} ${line % 97 === n ? n : 'same'}\n`);
    for (let n = 0; n < 20; n++) {
      real.write('work', { 'pages/index.tsx': lines(n).join(''), 'run.sh': '#!/bin/sh\n' });
      real.commit('work', `Commit ${n}`);
    }
    const sha = real.text('work', 'rev-parse', 'HEAD');
    const pack = real.pack('work', sha);
    expect(real.text('work', 'count-objects', '-v')).toMatch(/count/);
    const repository = empty();
    const written = await receive(repository, sha, pack);
    const received = { ...repository, packs: written.packs };
    const tree = await repositories.tree(received, sha);
    const oid = tree.get('pages/index.tsx')?.oid ?? '';
    expect(Buffer.from((await repositories.contents(received, [oid])).get(oid) ?? []).toString()).toBe(
      lines(19).join(''),
    );
    const next = await commit(received, { a: '1' }, [sha], 'Ours');
    real.init('bare', '--bare');
    real.run('bare', ['fetch', '-q', '../work', 'main:main']);
    const sent = await repositories.packOf(next.repository, next.sha, [sha]);
    real.run('bare', ['index-pack', '--stdin', '--strict'], { input: Buffer.from(sent) });
    real.run('bare', ['update-ref', 'refs/heads/main', next.sha]);
    real.run('bare', ['fsck', '--full', '--strict']);
    expect(real.text('bare', 'rev-list', '--count', 'main')).toBe('21');
    expect(sent.length).toBeLessThan(1_000);
  });
});

/** Creates a commit whose tree has entries that git itself would refuse to write. */
function planted(entries: readonly (readonly [mode: string, name: string | Buffer, type: string, oid: string])[]) {
  const bytes = entries.flatMap(([mode, name, , oid]) => [
    Buffer.from(`${mode.replace(/^0/, '')} `),
    Buffer.isBuffer(name) ? name : Buffer.from(name),
    Buffer.from([0]),
    Buffer.from(oid, 'hex'),
  ]);
  const input = Buffer.concat(bytes);
  const tree = real.run('hostile', ['hash-object', '-t', 'tree', '-w', '--stdin', '--literally'], { input });
  return real.text('hostile', 'commit-tree', '-m', 'Hostile', tree.toString().trim());
}

describe('git repositories: isomorphic-git, hostile input', () => {
  let blob = '';
  beforeAll(() => {
    real.init('hostile');
    blob = real
      .run('hostile', ['hash-object', '-w', '--stdin'], { input: Buffer.from('text') })
      .toString()
      .trim();
  });
  const taken = async (sha: string) => {
    const repository = empty();
    const { packs } = await receive(repository, sha, real.pack('hostile', sha));
    return await repositories.tree({ ...repository, packs }, sha);
  };

  it.each<readonly [what: string, RegExp, readonly (readonly [string, string | Buffer, string])[]]>([
    ['a symbolic link', /symbolic link/, [['120000', 'etc', 'blob']]],
    ['..', /not a file name/, [['100644', '..', 'blob']]],
    ['.git', /git reserves/, [['100644', '.git', 'blob']]],
    ['.GIT', /git reserves/, [['100644', '.GiT', 'blob']]],
    ['git~1', /git reserves/, [['100644', 'git~1', 'blob']]],
    ['.git with a character that is passed over', /git reserves/, [['100644', '.g\u200cit', 'blob']]],
    ['a slash in a name', /character/, [['100644', 'a/b', 'blob']]],
    ['a backslash', /character/, [['100644', 'a\\b', 'blob']]],
    ['a device', /device/, [['100644', 'aux.tsx', 'blob']]],
    ['a line break', /character/, [['100644', 'a\nb', 'blob']]],
    [
      'names that differ in case',
      /the same file on some systems/,
      [
        ['100644', 'A', 'blob'],
        ['100644', 'a', 'blob'],
      ],
    ],
    [
      'the same name twice',
      /the same file on some systems/,
      [
        ['100644', 'a', 'blob'],
        ['100644', 'a', 'blob'],
      ],
    ],
    [
      'names composed in two ways',
      /the same file on some/,
      [
        ['100644', 'e\u0301', 'blob'],
        ['100644', '\u00e9', 'blob'],
      ],
    ],
    ['a name that is not UTF-8', /not UTF-8/, [['100644', Buffer.from([0x61, 0xff]), 'blob']]],
    ['an unknown mode', /neither a file nor a folder/, [['100000', 'a', 'blob']]],
  ])('refuses a tree with %s', async (_, message, entries) => {
    const sha = planted(entries.map(([mode, name, type]) => [mode, name, type, blob]));
    await expect(taken(sha)).rejects.toThrow(message);
    await expect(taken(sha)).rejects.toThrow(GitRefused);
  });

  it('refuses a submodule', async () => {
    const sha = planted([['160000', 'sub', 'commit', '1'.repeat(40)]]);
    await expect(taken(sha)).rejects.toThrow(/submodule/);
  });

  it('accepts an executable file as a plain one', async () => {
    const sha = planted([['100755', 'run', 'blob', blob]]);
    expect(await taken(sha)).toEqual(new Map([['run', { oid: blob, isExecutable: true }]]));
  });

  it('refuses 100,000 files', async () => {
    const names = Array.from({ length: 100_000 }, (_, at) => `f${String(at).padStart(6, '0')}`);
    const sha = planted(names.map((name) => ['100644', name, 'blob', blob] as const));
    await expect(taken(sha)).rejects.toThrow('A project may have at most 20000 files.');
  });

  it('refuses folders that are too deep', async () => {
    let tree = real
      .run('hostile', ['mktree'], { input: Buffer.from(`100644 blob ${blob}\ta\n`) })
      .toString()
      .trim();
    for (let depth = 0; depth < 60; depth++) {
      tree = real
        .run('hostile', ['mktree'], { input: Buffer.from(`040000 tree ${tree}\td\n`) })
        .toString()
        .trim();
    }
    const sha = real.text('hostile', 'commit-tree', '-m', 'Deep', tree);
    await expect(taken(sha)).rejects.toThrow(/at most 50 folders/);
  });

  it('refuses billions of empty folders at once', async () => {
    const folder = (content: string) =>
      real
        .run('hostile', ['mktree'], { input: Buffer.from(content) })
        .toString()
        .trim();
    const names = [...'abcdefghij'];
    let tree = folder('');
    for (let depth = 0; depth < 9; depth++)
      tree = folder(names.map((name) => `040000 tree ${tree}\t${name}\n`).join(''));
    const sha = real.text('hostile', 'commit-tree', '-m', 'Empty', tree);
    await expect(taken(sha)).rejects.toThrow('A project may have at most 20000 folders.');
  });

  /** A pack of these objects, without checking that they are valid. */
  const packOf = (objects: readonly (readonly [head: Buffer, data: Buffer])[], count = objects.length) => {
    const header = Buffer.alloc(12);
    header.write('PACK');
    header.writeUInt32BE(2, 4);
    header.writeUInt32BE(count, 8);
    const body = Buffer.concat([header, ...objects.flatMap(([head, data]) => [head, deflateSync(data)])]);
    return Buffer.concat([body, createHash('sha1').update(body).digest()]);
  };
  const headOf = (type: number, size: number) => {
    const bytes = [(type << 4) | (size % 16)];
    for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
      bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 0x80;
      bytes.push(rest % 128);
    }
    return Buffer.from(bytes);
  };
  const varint = (size: number) => {
    const bytes: number[] = [];
    for (let rest = size; ; rest = Math.floor(rest / 128)) {
      bytes.push(rest >= 128 ? (rest % 128) | 0x80 : rest);
      if (rest < 128) return Buffer.from(bytes);
    }
  };

  it.each<readonly [string, RegExp, () => Uint8Array]>([
    ['what is no pack', /broken/, () => Buffer.from('<html>not found</html>'.repeat(10))],
    ['half of one', /broken/, () => real.pack('hostile', planted([['100644', 'a', 'blob', blob]])).subarray(0, 100)],
    ['more objects than are there', /broken/, () => packOf([[headOf(3, 1), Buffer.from('a')]], 2)],
    ['millions of objects', /more than 200000 objects/, () => packOf([], 2_000_000)],
    ['an object that is larger than it says', /broken/, () => packOf([[headOf(3, 1), Buffer.alloc(1_000)]])],
    ['an object of 1 GB', /larger than 250 MB/, () => packOf([[headOf(3, 2 ** 30), Buffer.alloc(1_000)]])],
    [
      'objects that are large together',
      /larger than 250 MB/,
      () => packOf(Array.from({ length: 3 }, () => [headOf(3, 100 * 2 ** 20), Buffer.alloc(100 * 2 ** 20)] as const)),
    ],
    [
      'a delta that makes 1 GB',
      /larger than 250 MB/,
      () => {
        const delta = Buffer.concat([varint(1), varint(2 ** 30)]);
        const head = Buffer.concat([headOf(7, delta.length), Buffer.from(blob, 'hex')]);
        return packOf([[head, delta]]);
      },
    ],
    [
      'a delta without its base',
      /the base of a delta is missing/,
      () => {
        const delta = Buffer.concat([varint(4), varint(1), Buffer.from([1, 0x61])]);
        return packOf([[Buffer.concat([headOf(7, delta.length), Buffer.from(blob, 'hex')]), delta]]);
      },
    ],
    ['an incomplete history', /incomplete/, () => packOf([[headOf(3, 1), Buffer.from('a')]])],
  ])('refuses a pack that is %s', async (_, message, pack) => {
    const repository = empty();
    const received = receive(repository, '1'.repeat(40), pack());
    await expect(received).rejects.toThrow(GitRefused);
    await expect(received).rejects.toThrow(message);
    expect(await blobs.names(`git/${repository.workspaceId}/${repository.id}`)).toEqual([]);
  });

  it('stops reading a history that is too large', async () => {
    let read = 0;
    const endless = async function* () {
      const piece = Buffer.alloc(1024 * 1024);
      for (; ; read++) yield piece;
    };
    await expect(repositories.receive(empty(), '1'.repeat(40), endless())).rejects.toThrow(
      /larger than this service accepts/,
    );
    expect(read).toBeLessThanOrEqual(251);
  });
});
