import { promises, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ResolvedPackage } from '../../../ports/packages.port.js';
import { answerFile, archiveFile, type FetchAnswer, type FetchRequest, requestFile } from './fetch-protocol.js';

/** The child process: resolves the set and fetches the archives into its folder. It installs nothing and runs nothing. */
const folder = process.argv[2] ?? '';
const request = JSON.parse(readFileSync(join(folder, requestFile), 'utf8')) as FetchRequest;
const { registry, dependencies, mostPackages, mostBytes } = request;

/**
 * The resolver looks whether a folder above its own is a link, which this process may not see. They are plain folders, as
 * its own is: the parent passes the real path. Replaced before the resolver is loaded.
 */
const lstat = promises.lstat;
const isAbove = (path: unknown) =>
  typeof path === 'string' && path !== folder && `${folder}/`.startsWith(join(path, '/'));
promises.lstat = ((path: string) => lstat(isAbove(path) ? folder : path)) as typeof promises.lstat;
const { default: Arborist } = await import('@npmcli/arborist');
const { default: pacote } = await import('pacote');

class Unresolvable extends Error {}

/** Stops a set that grows without end while it is resolved. */
class Packuments extends Map<string, never> {
  override set(name: string, packument: never): this {
    if (this.size >= mostPackages) throw new Unresolvable(`it takes more than ${mostPackages} packages`);
    return super.set(name, packument);
  }
}

const onlyRegistry = { allowGit: 'none', allowRemote: 'none', allowFile: 'none', allowDirectory: 'none' } as const;
const options = {
  ...onlyRegistry,
  registry,
  path: join(folder, 'project'),
  cache: join(folder, 'cache'),
  ignoreScripts: true,
  // Peers are the packages that the set names, and the platform's React.
  legacyPeerDeps: true,
  audit: false,
  fetchRetries: 1,
  fetchRetryMintimeout: 200,
  fetchRetryMaxtimeout: 1_000,
  fetchTimeout: 15_000,
  packumentCache: new Packuments(),
};

/** The same set gives the same lock. */
const byPath = (one: { location: string }, other: { location: string }) => (one.location < other.location ? -1 : 1);

async function resolved(): Promise<readonly (ResolvedPackage & { readonly from: string })[]> {
  writeFileSync(join(folder, 'project/package.json'), JSON.stringify({ name: 'site', version: '1.0.0', dependencies }));
  const tree = await new Arborist(options as never).buildIdealTree({ saveType: 'prod' } as never);
  const nodes = [...tree.inventory.values()].filter((node) => !node.isRoot).sort(byPath);
  if (nodes.length > mostPackages) throw new Unresolvable(`it takes more than ${mostPackages} packages`);
  return nodes.map((node) => {
    const { location, resolved: from, integrity, isLink } = node;
    const name = node.package.name ?? node.name;
    const version = node.package.version ?? '';
    if (isLink || typeof from !== 'string' || new URL(from).origin !== new URL(registry).origin) {
      throw new Unresolvable(`${name} ${version} is not of the registry`);
    }
    if (!/\bsha512-/.test(integrity ?? '')) throw new Unresolvable(`${name} ${version} has no sha512 integrity`);
    return { path: location, name, version, integrity: String(integrity), from };
  });
}

async function fetched(): Promise<FetchAnswer> {
  const packages = await resolved();
  let bytes = 0;
  for (const [index, { from, integrity }] of packages.entries()) {
    const archive = await pacote.tarball(from, { ...options, allowRemote: 'all', integrity } as never);
    bytes += archive.length;
    if (bytes > mostBytes) throw new Unresolvable(`its archives have more than ${mostBytes} bytes`);
    writeFileSync(join(folder, archiveFile(index)), archive);
  }
  return { t: 'done', packages: packages.map(({ from: _, ...one }) => one) };
}

/** Codes of answers that another try would get again. */
const lasting = new Set(['E404', 'ETARGET', 'EINTEGRITY', 'E401', 'E403', 'EINVALIDPACKAGENAME', 'EINVALIDTAGNAME']);

function failed(error: unknown): FetchAnswer {
  const { code = '', message } = error as { code?: string; message: string };
  if (error instanceof Unresolvable) return { t: 'unresolvable', why: message };
  const text = `${code} ${message}`.replace(/\s+/g, ' ').replaceAll(folder, '').slice(0, 300);
  return { t: lasting.has(code) || /^EALLOW/.test(code) ? 'unresolvable' : 'away', why: text };
}

const answer = await fetched().catch(failed);
writeFileSync(join(folder, answerFile), JSON.stringify(answer));
process.exit(0);
