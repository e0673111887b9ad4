import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import git from 'isomorphic-git';
import { GitRefused, gitLimits } from '../../../ports/offloaded/git-repositories.port.js';
import type { ThreadMessage } from '../../threads/work-thread.js';
import type { GitAnswer, GitRequest, MadePacks } from './git-protocol.js';
import { gitdir, ObjectFiles } from './object-files.js';
import { joinedPacks, type PackFiles, packDigest, packIndex } from './pack-files.js';
import { packBytesOf, packName } from './pack-folders.js';
import { type PackLimits, scanPack } from './pack-scan.js';
import { RepositoryWork } from './repository-work.js';

const limits: PackLimits = { bytes: gitLimits.receivedBytes, objects: gitLimits.receivedObjects };
const ownLimits: PackLimits = { bytes: Infinity, objects: Infinity };
/** Maximum size of a joined pack, in bytes. Limited, because joining copies both packs. */
const mostJoined = 64 * 1024 * 1024;

async function answerTo(request: GitRequest): Promise<GitAnswer> {
  const files = new ObjectFiles(request.folder, request.packs);
  const work = new RepositoryWork(files);
  switch (request.ask) {
    case 'tree':
      return { tree: await work.tree(request.sha) };
    case 'contents':
      return { contents: await work.contents(request.oids) };
    case 'log':
      return { log: await work.log(request.sha, request.limit) };
    case 'relation':
      return { relation: await work.relation(request.one, request.other) };
    case 'has':
      return { has: (await files.oids()).has(request.sha) };
    case 'commit': {
      const sha = await work.commit(request.commit);
      const known = await files.oids();
      const fresh = files.written().filter((oid) => !known.has(oid));
      return fresh.length === 0
        ? { sha, made: [], joined: [] }
        : await writePack(request, sha, await packed(files, fresh), ownLimits);
    }
    case 'pack':
      return { pack: await packed(files, await work.reachable(request.sha, request.without)) };
    case 'receive':
      return await receive(request);
  }
}

async function packed(fs: ObjectFiles, oids: readonly string[]): Promise<Buffer> {
  const { packfile } = await git.packObjects({ fs, gitdir, oids: [...oids], write: false });
  if (packfile === undefined) throw new Error('isomorphic-git returned no pack.');
  return Buffer.from(packfile);
}

async function receive(request: Extract<GitRequest, { ask: 'receive' }>): Promise<GitAnswer> {
  const pack = await readFile(request.file);
  const made = await writePack(request, request.sha, pack, limits, async (name) => {
    const old = await new ObjectFiles(request.folder, request.packs).oids();
    const files = new ObjectFiles(request.folder, [...request.packs, name], new Map([[`${name}.pack`, pack]]));
    const all = await files.oids();
    await new RepositoryWork(files).mustBeWhole(
      request.sha,
      (oid) => all.has(oid),
      (oid) => old.has(oid),
    );
  });
  await rm(request.file, { force: true });
  return made;
}

/** Joins the pack with earlier ones that are not much larger, so the number of packs remains small. */
async function writePack(
  { folder, packs }: GitRequest,
  sha: string,
  pack: Buffer,
  scanned: PackLimits,
  check?: (name: string) => Promise<void>,
): Promise<MadePacks> {
  const entries = scanPack(pack, scanned);
  if (entries.length === 0) return { sha, made: [], joined: [] };
  let one: PackFiles = { pack, index: packIndex(pack, entries) };
  if (check !== undefined) await check(await written(folder, one));
  const taken: string[] = [];
  for (const name of packs.toReversed()) {
    const bytes = packBytesOf(name);
    if (bytes > 2 * one.pack.length || bytes + one.pack.length > mostJoined) break;
    const together = joinedPacks(await readPack(folder, name), one);
    if (together === undefined) break;
    one = together;
    taken.push(name);
  }
  return { sha, made: [await written(folder, one)], joined: taken };
}

async function readPack(folder: string, name: string): Promise<PackFiles> {
  const [pack, index] = await Promise.all(['pack', 'idx'].map((kind) => readFile(join(folder, `${name}.${kind}`))));
  return { pack: pack as Buffer, index: index as Buffer };
}

/** The index is written last, because a pack without an index is treated as missing. */
async function written(folder: string, { pack, index }: PackFiles): Promise<string> {
  const name = packName(packDigest({ pack }), pack.length, index.length);
  await put(join(folder, `${name}.pack`), pack);
  await put(join(folder, `${name}.idx`), index);
  return name;
}

async function put(path: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}.tmp`;
  await writeFile(temporary, bytes, { mode: 0o600 });
  await rename(temporary, path);
}

const post = (message: ThreadMessage<GitAnswer>) => parentPort?.postMessage(message);
/** A `GitRefused` error is returned to the caller, and any other error ends the thread. */
parentPort?.on('message', async (request: GitRequest) => {
  try {
    post({ answer: await answerTo(request) });
  } catch (error) {
    if (!(error instanceof GitRefused)) throw error;
    post({ answer: { refused: error.message } });
  }
});
post('ready');
