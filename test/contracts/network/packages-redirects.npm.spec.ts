// Second tier.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { NpmPackages } from '../../../src/adapters/packages/npm/npm-packages.adapter.js';
import { RegistryUnavailable } from '../../../src/ports/network/packages.port.js';
import { type RegistryForTests, startRegistry } from '../../support/servers/npm-registry.js';

const token = 'npm_a-token-that-nobody-else-may-see';
/** The URL without its scheme, as npm's settings name a registry. */
const nerf = ({ url }: RegistryForTests) => url.replace(/^https?:/, '');

let folder: string;
let registry: RegistryForTests;
let inner: RegistryForTests;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-npm-spec-'));
  registry = await startRegistry();
  inner = await startRegistry();
  for (const one of [registry, inner]) for (const name of ['tea', '@acme/cup']) one.publish(name, '1.0.0');
});
afterEach(async () => {
  await Promise.all([registry.close(), inner.close()]);
  rmSync(folder, { recursive: true, force: true });
});

async function fetch(name: string, egressAllow: readonly string[] = [], lines: readonly string[] = []) {
  const NPM_CONFIG_USERCONFIG = join(folder, 'npmrc');
  writeFileSync(NPM_CONFIG_USERCONFIG, [`${nerf(registry)}:_authToken=${token}`, ...lines].join('\n'));
  const variables = { HOME: '/nonexistent', PREFIX: '/nonexistent', NPM_CONFIG_REGISTRY: registry.url };
  const packages = new NpmPackages({ ...variables, NPM_CONFIG_USERCONFIG }, egressAllow);
  try {
    return await packages.fetch({ workspaceId: 'w1', dependencies: { [name]: '1.0.0' }, store: async () => {} });
  } catch (error) {
    return error as Error;
  } finally {
    await packages.close();
  }
}
const redirect = (from: string, host: string) => {
  registry.wants = `Bearer ${token}`;
  registry.redirect = { from, to: inner.url.replace('127.0.0.1', host) };
};
const places = [
  ['archive', 'tea 1.0.0', 'tea/-/', '127.0.0.1', 'is a loopback address'],
  ['archive', '@acme/cup 1.0.0', '@acme/cup/-/', 'localhost', 'resolves to a loopback address'],
  ['description', 'tea', 'tea', '127.0.0.1', 'is a loopback address'],
  ['description', '@acme/cup', '@acme/cup', 'localhost', 'resolves to a loopback address'],
] as const;

describe('a registry that redirects to another address', () => {
  it.each(places)(
    'is not followed to addresses within this network: %s of %s, %s to %s',
    async (_, name, from, host, how) => {
      redirect(from, host);
      const error = await fetch(name.replace(' 1.0.0', ''));
      expect(error).toBeInstanceOf(RegistryUnavailable);
      const sentence = `the registry redirects ${name}. The host '${host}' ${how}`;
      expect(error).toHaveProperty('message', expect.stringContaining(sentence));
      expect(error).toHaveProperty('message', expect.stringContaining('the operator can allow it with EGRESS_ALLOW'));
      expect(inner.asked).toEqual([]);
    },
  );

  it.each(['127.0.0.1', 'localhost'])(
    'is followed to %s if EGRESS_ALLOW permits it, without the token',
    async (host) => {
      redirect('tea/-/', host);
      expect(await fetch('tea', [host])).toHaveLength(1);
      expect(inner.asked).toEqual(['tea/-/1.0.0.tgz']);
      expect(inner.authorizations).toEqual(['']);
    },
  );

  it("is followed to hosts that npm's settings name", async () => {
    redirect('tea/-/', '127.0.0.1');
    expect(await fetch('tea', [], [`${nerf(inner)}:_authToken=another`])).toHaveLength(1);
    expect(inner.asked).toEqual(['tea/-/1.0.0.tgz']);
  });
});
