import { createHash } from 'node:crypto';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Certificate } from '../egress/certificates.js';
import { packed, type TarEntry } from './tar-archives.js';

interface Version {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly wrongIntegrity?: true;
  /** Files of the package in addition to package.json. */
  readonly entries?: readonly TarEntry[];
  /** Archive to serve instead of a generated one. */
  readonly archive?: Buffer;
  /** URL of the archive in the registry's metadata. Default: a URL of this registry. */
  readonly archiveAt?: string;
}

export interface RegistryForTests {
  readonly url: string;
  readonly port: number;
  /** Paths that were requested. */
  readonly asked: readonly string[];
  /** The `Authorization` header of every request, or '' if there was none. */
  readonly authorizations: readonly string[];
  /** Returns the number of open connections. */
  connections(): Promise<number>;
  /** If not 0, every response has this status. */
  status: number;
  /** If set, only requests with this `Authorization` header are answered. */
  wants: string | undefined;
  /** If set, requests whose path begins with `from` are redirected to `to`. */
  redirect: { readonly from: string; readonly to: string } | undefined;
  /** If set, responses for matching paths are sent byte by byte and never end. */
  trickles: RegExp | undefined;
  publish(name: string, version: string, about?: Version): void;
  close(): Promise<void>;
}

interface RegistryOptions {
  readonly certificate?: Certificate;
  /** Address under which clients reach the registry. Default: loopback. */
  readonly address?: string;
}

/** Starts an npm registry on loopback, with metadata and archives of packages. */
export async function startRegistry({ certificate, address }: RegistryOptions = {}): Promise<RegistryForTests> {
  const packages = new Map<string, Map<string, Version>>();
  const asked: string[] = [];
  const authorizations: string[] = [];
  const trickling = new Set<NodeJS.Timeout>();
  const listener: RequestListener = (request, response): unknown => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://registry').pathname).slice(1);
    asked.push(path);
    authorizations.push(request.headers.authorization ?? '');
    const { status, wants, redirect, trickles } = registry;
    if (status !== 0) return response.writeHead(status).end();
    if (redirect !== undefined && path.startsWith(redirect.from)) {
      return response.writeHead(302, { location: `${redirect.to}${path}` }).end();
    }
    if (wants !== undefined && request.headers.authorization !== wants) {
      const body = { error: `not for ${request.headers.authorization}` };
      return response.writeHead(401, { 'www-authenticate': 'Bearer' }).end(JSON.stringify(body));
    }
    if (trickles?.test(path)) return trickle(response, trickling, () => registry.trickles === undefined);
    const [name = '', version] = path.split('/-/');
    const versions = packages.get(name);
    if (versions === undefined) return response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
    if (version !== undefined) {
      return response.writeHead(200).end(archiveOf(name, version.replace('.tgz', ''), versions));
    }
    return response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify(packument(name, versions)));
  };
  const server = certificate === undefined ? createServer(listener) : createSecureServer(certificate, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const scheme = certificate === undefined ? 'http' : 'https';
  const { port } = server.address() as AddressInfo;
  const url = address ?? `${scheme}://127.0.0.1:${port}/`;
  const packument = (name: string, versions: ReadonlyMap<string, Version>) => ({
    name,
    'dist-tags': { latest: [...versions.keys()].at(-1) },
    versions: Object.fromEntries(
      [...versions].map(([version, about]) => [
        version,
        {
          ...manifest(name, version, about),
          dist: {
            tarball: about.archiveAt ?? `${url}${name}/-/${version}.tgz`,
            integrity: integrityOf(about.wrongIntegrity ? Buffer.from('other') : archiveOf(name, version, versions)),
          },
        },
      ]),
    ),
  });
  const registry: RegistryForTests = {
    url,
    port,
    asked,
    authorizations,
    connections: () => new Promise((resolve) => server.getConnections((_, count) => resolve(count))),
    status: 0,
    wants: undefined,
    redirect: undefined,
    trickles: undefined,
    publish: (name, version, about = {}) => {
      packages.set(name, (packages.get(name) ?? new Map()).set(version, about));
    },
    close: () => {
      for (const one of trickling) clearInterval(one);
      return new Promise((resolve) => void server.close(() => resolve()).closeAllConnections());
    },
  };
  return registry;
}

/** Sends bytes until `isOver`. Then the connection is cut, and the client tries again. */
function trickle(response: ServerResponse, trickling: Set<NodeJS.Timeout>, isOver: () => boolean): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const each = setInterval(() => (isOver() ? response.destroy() : response.write(' ')), 100);
  trickling.add(each);
  response.on('close', () => clearInterval(each));
}

const manifest = (name: string, version: string, { dependencies = {}, scripts = {} }: Version) => ({
  name,
  version,
  dependencies,
  scripts,
  ...(scripts['postinstall'] ? { hasInstallScript: true } : {}),
});

const integrityOf = (bytes: Uint8Array) => `sha512-${createHash('sha512').update(bytes).digest('base64')}`;

function archiveOf(name: string, version: string, versions: ReadonlyMap<string, Version>): Buffer {
  const about = versions.get(version) ?? {};
  if (about.archive !== undefined) return about.archive;
  const description = { path: 'package/package.json', content: JSON.stringify(manifest(name, version, about)) };
  return packed([description, ...(about.entries ?? [])]);
}
