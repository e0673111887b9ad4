import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { allPackages, packageBlob } from '../../../src/areas/sites/packages/package-blobs.api.js';
import { PackageSweep } from '../../../src/areas/sites/packages/package-sweep.js';
import { ReadYourWrites } from '../../../src/engine/read-models/read-your-writes.js';
import { Blobs } from '../../../src/ports/blobs.port.js';
import { Clock } from '../../../src/ports/clock.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { done, otherWorkspace } from '../../support/people.js';
import { type RegistryForTests, startRegistry } from '../../support/servers/npm-registry.js';

const day = 24 * 3_600_000;

let app: TestApp;
let clock: MadeUpClock;
let registry: RegistryForTests;
beforeEach(async () => {
  clock = new MadeUpClock();
  registry = await startRegistry();
  for (const name of ['tea', 'cup', 'leaf']) registry.publish(name, '1.0.0');
  app = await startApp({
    environment: { NPM_CONFIG_REGISTRY: registry.url },
    replacements: [{ provide: Clock, useValue: clock }],
  });
});
afterEach(async () => {
  await app.close();
  await registry.close();
});

const set = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, '1.0.0']));
const blobs = () => app.app.get(Blobs, { strict: false });
const sweep = () => app.app.get(PackageSweep, { strict: false }).sweep();
const stored = async () => [...(await blobs().names(allPackages))].sort();

async function bundled(id: string, dependencies: object, key?: string): Promise<Map<string, string>> {
  const { id: workspaceId } = await done(app, 'workspace/getWorkspace', {}, key);
  await done(app, 'site/updateProject', { id, dependencies }, key);
  const { packages } = await done(app, 'site/bundleDeps', { id }, key);
  return new Map(
    packages.map((one: { name: string; integrity: string }) => [one.name, packageBlob(workspaceId, one.integrity)]),
  );
}
const project = async (key?: string): Promise<string> =>
  (await done(app, 'site/createProject', { name: 'Shop' }, key)).id;

describe('stored packages', () => {
  it('of a deleted project are deleted after a day, but not those that another project uses', async () => {
    const [one, other] = [await project(), await project()];
    const blobsOfOne = await bundled(one, set('tea', 'leaf'));
    await bundled(other, set('leaf'));
    await done(app, 'site/deleteProject', { id: one });
    await sweep();
    expect(await stored()).toEqual([...blobsOfOne.values()].sort());
    clock.advance(day + 1);
    // The sweep must also work if the newest event belongs to no project.
    await done(app, 'automations/createFunction', { name: 'Other', code: 'return 1;' });
    await sweep();
    expect(await stored()).toEqual([blobsOfOne.get('leaf')]);
    expect((await done(app, 'site/bundleDeps', { id: other })).packages).toHaveLength(1);
  });

  it('of an earlier set, and of interrupted calls, are deleted after a day', async () => {
    const id = await project();
    const first = await bundled(id, set('tea', 'leaf'));
    const second = await bundled(id, set('cup', 'leaf'));
    const cutOff = packageBlob('ws_gone', `sha512-${Buffer.alloc(64).toString('base64')}`);
    await blobs().put(cutOff, Buffer.from('archive'));
    clock.advance(day);
    await sweep();
    expect(await stored()).toEqual([...new Set([...first.values(), ...second.values(), cutOff])].sort());
    clock.advance(1);
    await sweep();
    expect(await stored()).toEqual([...second.values()].sort());
  });

  it('are stored for each workspace separately', async () => {
    const { ownerKey: key } = await otherWorkspace(app);
    const [ours, theirs] = [await project(), await project(key)];
    const blobsOfOurs = await bundled(ours, set('tea'));
    const blobsOfTheirs = await bundled(theirs, set('tea'), key);
    await done(app, 'site/deleteProject', { id: ours });
    clock.advance(day + 1);
    await sweep();
    expect(await stored()).toEqual([...blobsOfTheirs.values()]);
    expect(blobsOfOurs).not.toEqual(blobsOfTheirs);
  });

  it('remain if a call after a day stores them again', async () => {
    const [one, other] = [await project(), await project()];
    const first = await bundled(one, set('tea'));
    await done(app, 'site/deleteProject', { id: one });
    clock.advance(day + 1);
    await bundled(other, set('tea'));
    await sweep();
    expect(await stored()).toEqual([...first.values()]);
  });

  it('remain while it is unknown which projects exist', async () => {
    const id = await project();
    const first = await bundled(id, set('tea'));
    await done(app, 'site/deleteProject', { id });
    clock.advance(day + 1);
    const readYourWrites = app.app.get(ReadYourWrites, { strict: false });
    const taken = readYourWrites.taken.bind(readYourWrites);
    readYourWrites.taken = () => -1;
    await sweep();
    expect(await stored()).toEqual([...first.values()]);
    readYourWrites.taken = taken;
    await sweep();
    expect(await stored()).toEqual([]);
  });
});
