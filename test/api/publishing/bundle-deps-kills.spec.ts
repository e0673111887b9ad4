import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { packageBlob } from '../../../src/areas/sites/packages/package-blobs.api.js';
import { Blobs } from '../../../src/ports/blobs.port.js';
import { startApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { type RegistryForTests, startRegistry } from '../../support/servers/npm-registry.js';
import { ownerKey, type ServiceProcess, startServiceProcess } from '../../support/service-process.js';

let registry: RegistryForTests;
let service: ServiceProcess;
let folder: string;
let environment: Readonly<Record<string, string>>;
beforeEach(async () => {
  registry = await startRegistry();
  folder = mkdtempSync(join(tmpdir(), 'countersign-kills-'));
  // Temporary folders of package fetches are created here, so the test sees only its own.
  environment = { NPM_CONFIG_REGISTRY: registry.url, TMPDIR: folder, HOME: folder };
});
afterEach(async () => {
  await service.end('SIGKILL');
  await registry.close();
  rmSync(folder, { recursive: true, force: true });
});

const data = () => join(folder, 'data');
const start = async () => {
  service = await startServiceProcess({ dataDir: data(), environment });
};
const working = () => readdirSync(folder).filter((name) => name.startsWith('countersign-packages-'));
const stored = () =>
  existsSync(join(data(), 'blobs/packages')) ? readdirSync(join(data(), 'blobs/packages'), { recursive: true }) : [];

async function made(dependencies: object): Promise<string> {
  const { body } = await service.call('site/createProject', { name: 'Shop' });
  await service.call('site/updateProject', { id: body.id, dependencies });
  return body.id;
}

/** Calls again after a restart, and opens every archive that the answer names. */
async function mustSucceed(id: string): Promise<void> {
  await start();
  const { status, body } = await service.call('site/bundleDeps', { id });
  expect([status, body.ok]).toEqual([200, true]);
  const { body: workspace } = await service.call('workspace/getWorkspace');
  await service.end('SIGTERM');
  const app = await startApp({ dataDir: data(), ownerKey });
  try {
    const blobs = app.app.get(Blobs, { strict: false });
    for (const { integrity } of body.packages) {
      const archive = await blobs.open(packageBlob(workspace.id, integrity));
      expect(
        `sha512-${createHash('sha512')
          .update(archive ?? '')
          .digest('base64')}`,
      ).toBe(integrity);
    }
  } finally {
    await app.close();
  }
}

describe('bundleDeps', () => {
  it('of a service that is killed during a fetch: the fetching process ends, and the same call succeeds', async () => {
    registry.publish('tea', '1.0.0');
    registry.publish('slow', '1.0.0');
    registry.trickles = /^slow\/-/;
    await start();
    const id = await made({ tea: '1.0.0', slow: '1.0.0' });
    const cut = service.call('site/bundleDeps', { id }).catch(() => 'cut');
    await eventually(async () => registry.asked.includes('slow/-/1.0.0.tgz'), Boolean, 30_000);
    await service.end('SIGKILL');
    expect(await cut).toBe('cut');
    await eventually(registry.connections, (count) => count === 0, 30_000);
    await eventually(
      async () => working(),
      (left) => left.length === 0,
      30_000,
    );
    registry.trickles = undefined;
    await mustSucceed(id);
  }, 120_000);

  it('of a service that is killed while it stores: no partial archive is used', async () => {
    const names = Array.from({ length: 200 }, (_, n) => `w${n}`);
    for (const name of names) registry.publish(name, '1.0.0');
    await start();
    const id = await made(Object.fromEntries(names.map((name) => [name, '1.0.0'])));
    const cut = service.call('site/bundleDeps', { id }).then(
      ({ status }) => status,
      () => 'cut',
    );
    await eventually(
      async () => stored().length,
      (count) => count > 10,
      60_000,
    );
    await service.end('SIGKILL');
    await cut;
    await mustSucceed(id);
  }, 120_000);
});
