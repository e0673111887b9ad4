import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

interface Version {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly wrongIntegrity?: true;
}

export interface RegistryForTests {
  readonly url: string;
  /** Paths asked for. */
  readonly asked: readonly string[];
  /** Every answer is this status from now on; 0: as usual. */
  status: number;
  publish(name: string, version: string, about?: Version): void;
  close(): Promise<void>;
}

/** Speaks packuments and tarballs on loopback. */
export async function startRegistry(): Promise<RegistryForTests> {
  const packages = new Map<string, Map<string, Version>>();
  const asked: string[] = [];
  const server = createServer((request, response): unknown => {
    const path = decodeURIComponent(request.url ?? '/').slice(1);
    asked.push(path);
    const [name = '', version] = path.split('/-/');
    const versions = packages.get(name);
    if (registry.status !== 0) {
      return response.writeHead(registry.status).end();
    }
    if (versions === undefined) return response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
    if (version !== undefined) {
      return response.writeHead(200).end(tarball(name, version.replace('.tgz', ''), versions));
    }
    return response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify(packument(name, versions)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const packument = (name: string, versions: ReadonlyMap<string, Version>) => ({
    name,
    'dist-tags': { latest: [...versions.keys()].at(-1) },
    versions: Object.fromEntries(
      [...versions].map(([version, about]) => [
        version,
        {
          ...manifest(name, version, about),
          dist: {
            tarball: `${url}${name}/-/${version}.tgz`,
            integrity: integrityOf(about.wrongIntegrity ? Buffer.from('other') : tarball(name, version, versions)),
          },
        },
      ]),
    ),
  });
  const registry: RegistryForTests = {
    url,
    asked,
    status: 0,
    publish: (name, version, about = {}) => {
      packages.set(name, (packages.get(name) ?? new Map()).set(version, about));
    },
    close: () => new Promise((resolve) => void server.close(() => resolve()).closeAllConnections()),
  };
  return registry;
}

const manifest = (name: string, version: string, { dependencies = {}, scripts = {} }: Version) => ({
  name,
  version,
  dependencies,
  scripts,
  ...(scripts['postinstall'] ? { hasInstallScript: true } : {}),
});

const integrityOf = (bytes: Uint8Array) => `sha512-${createHash('sha512').update(bytes).digest('base64')}`;

function tarball(name: string, version: string, versions: ReadonlyMap<string, Version>): Buffer {
  const json = Buffer.from(JSON.stringify(manifest(name, version, versions.get(version) ?? {})));
  const head = Buffer.alloc(512);
  head.write('package/package.json', 0);
  head.write('0000644\0', 100);
  head.write('0000000\0', 108);
  head.write('0000000\0', 116);
  head.write(`${json.length.toString(8).padStart(11, '0')}\0`, 124);
  head.write('00000000000\0', 136);
  head.write('        ', 148);
  head.write('0', 156);
  head.write('ustar\0', 257);
  head.write('00', 263);
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const rest = Buffer.alloc((512 - (json.length % 512)) % 512);
  return gzipSync(Buffer.concat([head, json, rest, Buffer.alloc(1024)]));
}
