// Second tier.
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { packageBlob } from '../../../src/areas/sites/packages/package-blobs.api.js';
import { projects } from '../../../src/areas/sites/project/project.record.js';
import { CommandRunner } from '../../../src/engine/commands/command-runner.js';
import { Blobs } from '../../../src/ports/blobs.port.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { done, person } from '../../support/people.js';
import { type RegistryForTests, startRegistry } from '../../support/servers/npm-registry.js';

let app: TestApp;
let registry: RegistryForTests;
let workspaceId: string;
const token = 'npm_a-token-of-the-operator';
const npmrc = join(tmpdir(), `countersign-npmrc-${process.pid}`);
const ran = join(tmpdir(), `countersign-script-ran-${process.pid}`);
beforeAll(async () => {
  registry = await startRegistry();
  writeFileSync(npmrc, `${registry.url.replace('http:', '')}:_authToken=${token}`);
  app = await startApp({ environment: { NPM_CONFIG_REGISTRY: registry.url, NPM_CONFIG_USERCONFIG: npmrc } });
  workspaceId = (await done(app, 'workspace/getWorkspace')).id;
  registry.publish('leaf', '1.0.0');
  registry.publish('leaf', '1.1.0');
  registry.publish('tea', '2.0.0', { dependencies: { leaf: '^1.0.0' } });
  registry.publish('tampered', '1.0.0', { wrongIntegrity: true });
  registry.publish('runs', '1.0.0', { scripts: { preinstall: `touch ${ran}`, postinstall: `touch ${ran}` } });
});
afterAll(async () => {
  await app.close();
  await registry.close();
  rmSync(npmrc, { force: true });
});
beforeEach(() => {
  registry.status = 0;
});

async function made(dependencies: object, key?: string): Promise<string> {
  const { id } = await done(app, 'site/createProject', { name: 'Shop' }, key);
  await done(app, 'site/updateProject', { id, dependencies }, key);
  return id;
}
const bundle = (id: string, key?: string) => app.call('site/bundleDeps', { id }, key);
const lockedOf = async (id: string) =>
  (await app.app.get(CommandRunner, { strict: false }).find(projects, workspaceId, id))?.locked;

describe('bundleDeps', () => {
  it('resolves the set, stores every archive, records the lock and runs no script of a package', async () => {
    const dependencies = { runs: '1.0.0', tea: '^2.0.0' };
    const id = await made(dependencies);
    const { status, body } = await bundle(id);
    expect([status, body]).toEqual([
      200,
      {
        ok: true,
        packages: [
          { name: 'leaf', version: '1.1.0', integrity: expect.stringMatching(/^sha512-/) },
          { name: 'runs', version: '1.0.0', integrity: expect.stringMatching(/^sha512-/) },
          { name: 'tea', version: '2.0.0', integrity: expect.stringMatching(/^sha512-/) },
        ],
      },
    ]);
    const blobs = app.app.get(Blobs, { strict: false });
    for (const { integrity } of body.packages) {
      expect(await blobs.open(packageBlob(workspaceId, integrity))).toBeDefined();
    }
    expect(await lockedOf(id)).toMatchObject({ dependencies, packageCount: 3 });
    expect(existsSync(ran)).toBe(false);
  });

  it('answers an empty set without a request', async () => {
    const before = registry.asked.length;
    expect((await bundle(await made({}))).body).toEqual({ ok: true, packages: [] });
    expect(registry.asked.length).toBe(before);
  });

  it.each([
    [
      'an archive that is not what its integrity says',
      { tampered: '1.0.0' },
      'The dependencies cannot be resolved: the archive of tampered 1.0.0 does not match its integrity in the registry.',
    ],
    ['a package that is not there', { nobody: '1.0.0' }, 'nobody'],
  ])(
    'refuses %s and records nothing',
    async (_, dependencies, sentence) => {
      const id = await made(dependencies);
      const { status, body } = await bundle(id);
      expect([status, body.code, body.detail]).toEqual([
        400,
        'dependencies-unresolvable',
        expect.stringContaining(sentence),
      ]);
      expect(await lockedOf(id)).toBeNull();
    },
    60_000,
  );

  it('answers 503 while the registry is away, keeps the lock, and works again afterwards', async () => {
    const id = await made({ tea: '2.0.0' });
    await bundle(id);
    const before = await lockedOf(id);
    registry.status = 503;
    const { status, body } = await bundle(id);
    expect([status, body.code]).toEqual([503, 'registry-away']);
    expect(await lockedOf(id)).toEqual(before);
    registry.status = 0;
    expect((await bundle(id)).status).toBe(200);
  }, 60_000);

  it('follows no redirect of the registry into this network, and names the package', async () => {
    const inner = await startRegistry();
    inner.publish('tea', '2.0.0');
    const id = await made({ tea: '2.0.0' });
    registry.redirect = { from: 'tea/-/', to: inner.url };
    const { status, body } = await bundle(id);
    registry.redirect = undefined;
    expect([status, body.code, inner.asked]).toEqual([503, 'registry-away', []]);
    expect(body.detail).toContain("the registry redirects tea 2.0.0. The host '127.0.0.1' is a loopback address");
    await inner.close();
  }, 60_000);

  it('answers 503 with instructions while the registry refuses the token, and shows the token nowhere', async () => {
    const id = await made({ tea: '2.0.0' });
    registry.wants = `Bearer ${token} and more`;
    const { status, body } = await bundle(id);
    expect([status, body.code]).toEqual([503, 'registry-away']);
    expect(body.detail).toContain("its operator must set a token in npm's settings. Nothing was changed");
    registry.wants = `Bearer ${token}`;
    const answer = await bundle(id);
    expect([answer.status, answer.body.packages.length]).toEqual([200, 2]);
    registry.wants = undefined;
    const history = await app.call('audit/listEvents', {});
    expect(JSON.stringify([body, answer.body, history.body])).not.toContain(token);
    const events = await app.app.get(EventStore, { strict: false }).readAll({ limit: 1_000 });
    expect(JSON.stringify(events)).not.toContain(token);
  }, 60_000);

  it('requires an Editor', async () => {
    expect((await bundle(await made({}), (await person(app, 'viewer')).key)).status).toBe(403);
  });
});
