// Second tier.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { NpmPackages, type PackageLimits } from '../../../src/adapters/packages/npm/npm-packages.adapter.js';
import { PackagesUnresolvable, RegistryUnavailable } from '../../../src/ports/network/packages.port.js';
import { Authority } from '../../support/egress/certificates.js';
import { eventually } from '../../support/eventually.js';
import { type RegistryForTests, startRegistry } from '../../support/servers/npm-registry.js';
import { storedFiles } from '../../support/stores/stored-files.js';
import { packagesContract } from './packages.contract.js';

/** Hides the npm settings of the user who runs the tests. */
const nobodys = { HOME: '/nonexistent', PREFIX: '/nonexistent' };

packagesContract(
  'npm',
  (registry, limits) => new NpmPackages({ ...nobodys, NPM_CONFIG_REGISTRY: registry }, [], limits),
);

let folder: string;
const open: (() => Promise<void>)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-npm-spec-'));
});
afterEach(async () => {
  for (const close of open.splice(0)) await close();
  rmSync(folder, { recursive: true, force: true });
});

async function registryOf(names: readonly string[], options: Parameters<typeof startRegistry>[0] = {}) {
  const registry = await startRegistry(options);
  open.push(registry.close);
  for (const name of names) registry.publish(name, '1.0.0');
  return registry;
}

function npmrc(lines: readonly string[], name = 'npmrc'): string {
  const path = join(folder, name);
  writeFileSync(path, lines.join('\n'));
  return path;
}

const setTo = (
  variables: Record<string, string>,
  limits?: Partial<PackageLimits>,
  egressAllow: readonly string[] = [],
) => {
  const packages = new NpmPackages({ ...nobodys, ...variables }, egressAllow, limits);
  open.push(() => packages.close());
  return packages;
};
const fetch = (packages: NpmPackages, dependencies: Record<string, string>) =>
  packages.fetch({ workspaceId: 'w1', dependencies, store: async () => {} });
const failed = (packages: NpmPackages, dependencies: Record<string, string>): Promise<Error> =>
  fetch(packages, dependencies).then(
    () => {
      throw new Error('It was fetched.');
    },
    (error: Error) => error,
  );
/** The URL without its scheme, as npm's settings name a registry. */
const nerf = ({ url }: RegistryForTests) => url.replace(/^https?:/, '');
const token = 'npm_a-token-that-nobody-else-may-see';

describe("npm's settings", () => {
  it('are read from the user, the machine and variables, including variables that an npmrc names', async () => {
    const registry = await registryOf(['tea', '@acme/cup', '@other/leaf']);
    registry.wants = `Bearer ${token}`;
    const packages = setTo({
      NPM_CONFIG_USERCONFIG: npmrc([
        `${nerf(registry)}:_authToken=\${SECRET_OF_NPM}`,
        `@acme:registry=${registry.url}`,
      ]),
      NPM_CONFIG_GLOBALCONFIG: npmrc([`@other:registry=${registry.url}`], 'global'),
      npm_config_registry: registry.url,
      SECRET_OF_NPM: token,
    });
    expect(await fetch(packages, { tea: '1.0.0', '@acme/cup': '1.0.0', '@other/leaf': '1.0.0' })).toHaveLength(3);
    expect(new Set(registry.authorizations)).toEqual(new Set([`Bearer ${token}`]));
  });

  it('are read again for each fetch', async () => {
    const registry = await registryOf(['tea']);
    registry.wants = `Bearer ${token}`;
    const userconfig = npmrc([`${nerf(registry)}:_authToken=old`]);
    const packages = setTo({ NPM_CONFIG_USERCONFIG: userconfig, NPM_CONFIG_REGISTRY: registry.url });
    expect(await failed(packages, { tea: '1.0.0' })).toBeInstanceOf(RegistryUnavailable);
    npmrc([`${nerf(registry)}:_authToken=${token}`]);
    expect(await fetch(packages, { tea: '1.0.0' })).toHaveLength(1);
  });

  it('send a scope to its registry with its token, which the other registry never sees', async () => {
    const ours = await registryOf(['@acme/cup']);
    const all = await registryOf(['tea', 'leaf']);
    ours.publish('@acme/cup', '1.0.0', { dependencies: { leaf: '1.0.0' } });
    ours.wants = `Bearer ${token}`;
    const packages = setTo({
      NPM_CONFIG_REGISTRY: all.url,
      NPM_CONFIG_USERCONFIG: npmrc([`@acme:registry=${ours.url}`, `${nerf(ours)}:_authToken=${token}`]),
    });
    const found = await fetch(packages, { '@acme/cup': '1.0.0', tea: '1.0.0' });
    expect(found.map(({ name }) => name)).toEqual(['@acme/cup', 'leaf', 'tea']);
    expect(new Set(all.authorizations)).toEqual(new Set(['']));
    expect(ours.asked.every((path) => path.startsWith('@acme/cup'))).toBe(true);
    expect(all.asked.some((path) => path.startsWith('@acme'))).toBe(false);
  });

  it('support names with passwords', async () => {
    const registry = await registryOf(['tea']);
    const auth = Buffer.from('ada:lovelace').toString('base64');
    registry.wants = `Basic ${auth}`;
    const byBoth = npmrc([
      `${nerf(registry)}:username=ada`,
      `${nerf(registry)}:_password=${Buffer.from('lovelace').toString('base64')}`,
    ]);
    const byOne = npmrc([`${nerf(registry)}:_auth=${auth}`], 'other');
    for (const NPM_CONFIG_USERCONFIG of [byBoth, byOne]) {
      const packages = setTo({ NPM_CONFIG_USERCONFIG, NPM_CONFIG_REGISTRY: registry.url });
      expect(await fetch(packages, { tea: '1.0.0' })).toHaveLength(1);
    }
  });

  it.each([
    ['token', `_authToken=${token}`],
    ['password', `_auth=${Buffer.from(`ada:${token}`).toString('base64')}`],
  ])('with a wrong %s are reported to the operator without showing the value', async (_, line) => {
    const registry = await registryOf(['tea']);
    registry.wants = 'Bearer another';
    const userconfig = npmrc([`${nerf(registry)}:${line}`]);
    const error = await failed(setTo({ NPM_CONFIG_USERCONFIG: userconfig, NPM_CONFIG_REGISTRY: registry.url }), {
      tea: '1.0.0',
    });
    expect(error).toBeInstanceOf(RegistryUnavailable);
    expect(error.message).toBe(
      `the registry ${new URL(registry.url).host} does not accept this service; its operator must set a token in npm's settings`,
    );
  });

  it('are hidden if a registry repeats them', async () => {
    const echo = createServer((request, response) => {
      response.writeHead(403, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: `${request.headers.authorization} may not` }));
    });
    const address = await listening(echo);
    const lines = [`//${address}/:_authToken=${token}`];
    const error = await failed(
      setTo({ NPM_CONFIG_USERCONFIG: npmrc(lines), NPM_CONFIG_REGISTRY: `http://${address}/` }),
      { tea: '1.0.0' },
    );
    expect(error).toBeInstanceOf(PackagesUnresolvable);
    expect(error.message).toContain('Bearer *** may not');
    expect(JSON.stringify([error.message, error.stack])).not.toContain(token);
  });

  it('support a mirror that keeps the addresses of the registry that it mirrors', async () => {
    const mirror = await registryOf([]);
    mirror.publish('tea', '1.0.0', { archiveAt: 'https://registry.npmjs.org/tea/-/1.0.0.tgz' });
    expect(await fetch(setTo({ NPM_CONFIG_REGISTRY: mirror.url }), { tea: '1.0.0' })).toHaveLength(1);
  });

  it('refuse an archive at an address outside the registry', async () => {
    const other = await registryOf(['tea']);
    const registry = await registryOf([]);
    registry.publish('tea', '1.0.0', { archiveAt: `${other.url}tea/-/1.0.0.tgz` });
    const error = await failed(setTo({ NPM_CONFIG_REGISTRY: registry.url }), { tea: '1.0.0' });
    expect([error.constructor, error.message]).toEqual([PackagesUnresolvable, 'tea 1.0.0 is not from its registry']);
    expect(other.asked).toEqual([]);
  });

  it('name a proxy, and the hosts that bypass it', async () => {
    const registry = await registryOf(['tea'], { address: 'http://registry.invalid/' });
    const { port } = registry;
    const asked: string[] = [];
    const proxy = createServer((request, response) => {
      const url = new URL(request.url ?? '');
      asked.push(url.host);
      get({ host: '127.0.0.1', port, path: url.pathname }, (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(response);
      });
    });
    const address = `http://user:${token}@${await listening(proxy)}`;
    const npmrcWith = (lines: readonly string[]) => ({
      NPM_CONFIG_USERCONFIG: npmrc(['registry=http://registry.invalid/', ...lines]),
    });
    expect(await fetch(setTo(npmrcWith([`proxy=${address}`])), { tea: '1.0.0' })).toHaveLength(1);
    expect(new Set(asked)).toEqual(new Set(['registry.invalid']));
    const before = asked.length;
    expect(await fetch(setTo({ ...npmrcWith([]), HTTP_PROXY: address }), { tea: '1.0.0' })).toHaveLength(1);
    expect(asked.length).toBeGreaterThan(before);
    const past = await failed(setTo({ ...npmrcWith([`proxy=${address}`, 'noproxy=invalid']) }), { tea: '1.0.0' });
    expect(past).toBeInstanceOf(RegistryUnavailable);
    expect(past.message).not.toContain(token);
  }, 60_000);

  it('name the trusted certificates', async () => {
    const authority = new Authority('Ours');
    const certificate = authority.issue({ hosts: ['127.0.0.1'] });
    const registry = await registryOf(['tea'], { certificate });
    const NPM_CONFIG_REGISTRY = registry.url;
    expect(await failed(setTo({ NPM_CONFIG_REGISTRY }), { tea: '1.0.0' })).toBeInstanceOf(RegistryUnavailable);
    const cafile = npmrc([authority.cert], 'ca.pem');
    expect(await fetch(setTo({ NPM_CONFIG_REGISTRY, NPM_CONFIG_CAFILE: cafile }), { tea: '1.0.0' })).toHaveLength(1);
    const lax = setTo({ NPM_CONFIG_REGISTRY, NPM_CONFIG_STRICT_SSL: 'false' });
    expect(await fetch(lax, { tea: '1.0.0' })).toHaveLength(1);
  }, 60_000);

  it('with an invalid registry address are refused by name', async () => {
    const error = await failed(setTo({ NPM_CONFIG_USERCONFIG: npmrc(['@acme:registry=ftp://acme']) }), {
      tea: '1.0.0',
    });
    expect([error.constructor, error.message]).toEqual([
      RegistryUnavailable,
      "npm's setting @acme:registry must be an http or https address",
    ]);
  });
});

describe('the process that fetches', () => {
  it('has no token in its arguments, its environment or its folder', async () => {
    const registry = await registryOf(['tea']);
    registry.trickles = /./;
    const userconfig = npmrc([`${nerf(registry)}:_authToken=${token}`]);
    const packages = setTo({ NPM_CONFIG_USERCONFIG: userconfig, NPM_CONFIG_REGISTRY: registry.url });
    const ended = failed(packages, { tea: '1.0.0' });
    await eventually(registry.connections, (count) => count === 1);
    const [child = 0] = fetchers();
    expect(readFileSync(`/proc/${child}/environ`, 'utf8')).not.toContain(token);
    expect(readFileSync(`/proc/${child}/cmdline`, 'utf8')).not.toContain(token);
    const files = storedFiles(folderOf(child));
    expect(files.filter(({ bytes }) => bytes.includes(token)).map(({ path }) => path)).toEqual([]);
    await packages.close();
    await ended;
  }, 60_000);

  it('leaves nothing behind when it is killed, and the same call then succeeds', async () => {
    const registry = await registryOf(['tea']);
    registry.trickles = /./;
    const packages = setTo({ NPM_CONFIG_REGISTRY: registry.url });
    const ended = failed(packages, { tea: '1.0.0' });
    await eventually(registry.connections, (count) => count === 1);
    const [child = 0] = fetchers();
    const left = folderOf(child);
    process.kill(child, 'SIGKILL');
    expect((await ended).message).toBe('the process that fetches packages ended unexpectedly');
    expect(existsSync(left)).toBe(false);
    registry.trickles = undefined;
    expect(await fetch(packages, { tea: '1.0.0' })).toHaveLength(1);
  }, 60_000);

  it('is ended if it uses too much memory', async () => {
    const versions = Object.fromEntries(
      Array.from({ length: 200_000 }, (_, n) => [`${n}.0.0`, { name: 'huge', version: `${n}.0.0`, dist: {} }]),
    );
    const huge = JSON.stringify({ name: 'huge', versions, 'dist-tags': {} });
    const server = createServer((_, response) => response.end(huge));
    const registry = `http://${await listening(server)}/`;
    const error = await failed(setTo({ NPM_CONFIG_REGISTRY: registry }, { memoryBytes: 120_000_000 }), {
      huge: '1.0.0',
    });
    expect([error.constructor, error.message]).toEqual([
      PackagesUnresolvable,
      'resolving them takes more than 120 MB of memory',
    ]);
    expect(fetchers()).toEqual([]);
  }, 60_000);

  it('deletes what a killed service left long ago', async () => {
    const registry = await registryOf(['tea']);
    const left = mkdtempSync(join(tmpdir(), 'countersign-packages-'));
    const young = mkdtempSync(join(tmpdir(), 'countersign-packages-'));
    const longAgo = Date.now() / 1_000 - 7_200;
    utimesSync(left, longAgo, longAgo);
    await fetch(setTo({ NPM_CONFIG_REGISTRY: registry.url }), { tea: '1.0.0' });
    expect([existsSync(left), existsSync(young)]).toEqual([false, true]);
    rmSync(young, { recursive: true });
  });
});

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(() => new Promise((resolve) => void server.close(() => resolve()).closeAllConnections()));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Process ids of the children that fetch packages. */
function fetchers(): readonly number[] {
  return readdirSync(`/proc/${process.pid}/task`)
    .flatMap((task) => readFileSync(`/proc/${process.pid}/task/${task}/children`, 'utf8').trim().split(' '))
    .filter((pid) => pid !== '' && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('fetch-child.js'))
    .map(Number);
}

const folderOf = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').at(-2) ?? '';
