import { promises, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { ResolvedPackage } from '../../../ports/network/packages.port.js';
import { INPUT_FD } from '../../../sandbox/descriptors.js';
import { ArchiveRefused, checkedArchive, type FetchedTotals } from './check-archive.js';
import { answerFile, archiveFile, archivesOf, type FetchAnswer, type FetchRequest } from './fetch-protocol.js';
import { guardRedirects } from './redirect-guard.js';
import { archiveAddress, confineCredentials, registryOf } from './registries.js';

/** This file is a child process. It installs nothing and runs no code of packages. */
const folder = process.argv[2] ?? '';
const input = new Socket({ fd: INPUT_FD });
const request = await new Promise<FetchRequest>((resolve) => {
  createInterface(input).once('line', (line) => resolve(JSON.parse(line) as FetchRequest));
});
/** The parent has ended, so no process would read the answer. */
input.on('close', () => {
  rmSync(folder, { recursive: true, force: true });
  process.exit(1);
});
const { dependencies, settings, egressAllow, limits } = request;
const { mostPackages } = limits;
Object.assign(process.env, settings.proxies);
if (settings.authorities.length > 0)
  setDefaultCACertificates([...getCACertificates('default'), ...settings.authorities]);
confineCredentials(settings.options);
const titles = new Map<string, string>();
guardRedirects(settings, egressAllow, {
  titleOf: (address) => titles.get(address),
  refused: (why) => finish({ t: 'away', why }),
});

/**
 * The resolver checks whether the folders above this process's own folder are links, but this process has no access to
 * them. They are not links, because the parent passes the real path. So `lstat` reports on this process's own folder
 * instead.
 */
const lstat = promises.lstat;
const isAbove = (path: unknown) =>
  typeof path === 'string' && path !== folder && `${folder}/`.startsWith(join(path, '/'));
promises.lstat = ((path: string) => lstat(isAbove(path) ? folder : path)) as typeof promises.lstat;
const { default: Arborist } = await import('@npmcli/arborist');
const { default: pacote } = await import('pacote');

class Unresolvable extends Error {}

const tooMany = () => new Unresolvable(`they need more than ${mostPackages} packages`);

class Packuments extends Map<string, never> {
  override set(name: string, packument: never): this {
    if (this.size >= mostPackages) finish(failed(tooMany()));
    return super.set(name, packument);
  }
}

const { before } = settings.options;
const options = {
  ...settings.options,
  ...(typeof before === 'string' ? { before: new Date(before) } : {}),
  allowGit: 'none',
  allowFile: 'none',
  allowDirectory: 'none',
  path: join(folder, 'project'),
  ignoreScripts: true,
  // Adds no peer dependencies to the tree, because they are other requested packages or the platform's React.
  legacyPeerDeps: true,
  audit: false,
  fetchRetries: 1,
  fetchRetryMintimeout: 200,
  fetchRetryMaxtimeout: 1_000,
  fetchTimeout: 15_000,
  timeout: 15_000,
} as const;

/** Sorts by location, so that the same dependencies always result in the same list. */
const byPath = (one: { location: string }, other: { location: string }) => (one.location < other.location ? -1 : 1);

type FoundPackage = ResolvedPackage & { readonly from: string };

async function resolved(): Promise<readonly FoundPackage[]> {
  writeFileSync(join(folder, 'project/package.json'), JSON.stringify({ name: 'site', version: '1.0.0', dependencies }));
  const cache = join(folder, 'cache');
  const packumentCache = new Packuments();
  const arborist = new Arborist({ ...options, cache, packumentCache, allowRemote: 'none' } as never);
  // Checks the size while the tree is built, because a few packages with many versions can form a large tree.
  const watch = setInterval(() => {
    if ((arborist.idealTree?.inventory.size ?? 0) > mostPackages + 1) finish(failed(tooMany()));
  }, 50);
  const tree = await arborist.buildIdealTree({ saveType: 'prod' } as never);
  clearInterval(watch);
  const nodes = [...tree.inventory.values()].filter((node) => !node.isRoot).sort(byPath);
  if (nodes.length > mostPackages) throw tooMany();
  return nodes.map(({ location, resolved: address, integrity, isLink, package: { name = '', version = '' } }) => {
    const from = isLink ? undefined : archiveAddress(name, address, settings.options);
    if (from === undefined) throw new Unresolvable(`${name} ${version} is not from its registry`);
    if (!/\bsha512-/.test(integrity ?? '')) throw new Unresolvable(`${name} ${version} has no sha512 integrity`);
    return { path: location, name, version, integrity: String(integrity), from };
  });
}

const atOnce = 8;
const nothing: Readonly<FetchedTotals> = { bytes: 0, unpackedBytes: 0, files: 0 };
const taken: FetchedTotals = { ...nothing };

function count(sum: FetchedTotals, { bytes = 0, unpackedBytes = 0, files = 0 }: Partial<FetchedTotals>): void {
  sum.bytes += bytes;
  sum.unpackedBytes += unpackedBytes;
  sum.files += files;
}

/**
 * @param mine the amounts of one attempt to download an archive, which are subtracted from `taken` if the attempt fails
 */
function countFor(mine: FetchedTotals, more: Partial<FetchedTotals>): void {
  const { mostBytes, mostUnpackedBytes, mostFiles } = limits;
  for (const sum of [taken, mine]) count(sum, more);
  if (taken.bytes > mostBytes) throw new Unresolvable(`their archives have more than ${mostBytes} bytes`);
  if (taken.unpackedBytes > mostUnpackedBytes) {
    throw new Unresolvable(`they unpack to more than ${mostUnpackedBytes} bytes`);
  }
  if (taken.files > mostFiles) throw new Unresolvable(`they unpack to more than ${mostFiles} files`);
}

async function storeArchive(one: FoundPackage, path: string): Promise<void> {
  try {
    await download(one, path);
  } catch (error) {
    // For a wrong digest, npm's message does not contain the package's name.
    if ((error as { code?: string }).code !== 'EINTEGRITY') throw error;
    throw new Unresolvable(`the archive of ${one.name} ${one.version} does not match its integrity in the registry`);
  }
}

async function download({ name, version, integrity, from }: FoundPackage, path: string): Promise<void> {
  titles.set(from, `${name} ${version}`);
  const registry = registryOf(name, settings.options).href;
  const how = { ...options, registry, allowRemote: 'all', integrity, preferOnline: true, replaceRegistryHost: 'never' };
  await pacote.tarball.stream(
    from,
    async (archive) => {
      // Opened in each attempt, because npm's client retries a failed download once.
      const file = await open(path, 'w', 0o600);
      const mine: FetchedTotals = { ...nothing };
      try {
        for await (const piece of checkedArchive(archive, (more) => countFor(mine, more))) await file.write(piece);
      } catch (error) {
        count(taken, { bytes: -mine.bytes, unpackedBytes: -mine.unpackedBytes, files: -mine.files });
        throw error instanceof ArchiveRefused ? new Unresolvable(`${name} ${version} ${error.message}`) : error;
      } finally {
        await file.close();
      }
    },
    how as never,
  );
}

async function fetched(): Promise<FetchAnswer> {
  const packages = await resolved();
  const archives = archivesOf(packages).entries();
  const worker = async () => {
    for (const [index, one] of archives) await storeArchive(one, join(folder, archiveFile(index)));
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return { t: 'done', packages: packages.map(({ from: _, ...one }) => one) };
}

/** A retry is useless for these errors. */
const permanent = new Set(['E404', 'ETARGET', 'EINTEGRITY', 'E403', 'EINVALIDPACKAGENAME', 'EINVALIDTAGNAME']);
/** The registry requires a credential or refuses the given one. */
const unauthorized = new Set(['E401', 'EOTP', 'EAUTHIP']);

function failed(error: unknown): FetchAnswer {
  const { code = '', message = '', uri } = error as { code?: string; message?: string; uri?: string };
  if (error instanceof Unresolvable) return { t: 'unresolvable', why: message };
  const text = `${code} ${message}`.replace(/\s+/g, ' ').replaceAll(folder, '').slice(0, 300);
  if (unauthorized.has(code)) {
    const where = uri !== undefined && URL.canParse(uri) ? ` ${new URL(uri).host}` : '';
    return {
      t: 'away',
      why: `the registry${where} does not accept this service; its operator must set a token in npm's settings`,
    };
  }
  if (permanent.has(code) || /^EALLOW/.test(code)) return { t: 'unresolvable', why: text };
  return { t: 'away', why: code === '' ? 'the registry sent an unexpected response' : text };
}

function finish(answer: FetchAnswer): never {
  writeFileSync(join(folder, answerFile), JSON.stringify(answer));
  process.exit(0);
}

finish(await fetched().catch(failed));
