import { hash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { allPackages, packageBlob } from '../../../src/areas/sites/packages/package-blobs.api.js';
import { PackageSweep } from '../../../src/areas/sites/packages/package-sweep.js';
import { ReadYourWrites } from '../../../src/engine/read-models/read-your-writes.js';
import { Blobs } from '../../../src/ports/blobs.port.js';
import { Clock } from '../../../src/ports/clock.port.js';
import { Packages, type PackagesWanted, type ResolvedPackage } from '../../../src/ports/network/packages.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { done, otherWorkspace } from '../../support/people.js';

const day = 24 * 3_600_000;

/** Has every package in version 1.0.0. Real ones are fetched by a process for each call, which is tested elsewhere. */
class EveryPackage extends Packages {
  override async fetch({ dependencies, store }: PackagesWanted): Promise<readonly ResolvedPackage[]> {
    const found = Object.keys(dependencies).map((name) => {
      const integrity = `sha512-${hash('sha512', name, 'base64')}`;
      return { path: `node_modules/${name}`, name, version: '1.0.0', integrity };
    });
    for (const { name, integrity } of found) await store(integrity, Buffer.from(name));
    return found;
  }

  override async close(): Promise<void> {}
}

let app: TestApp;
let clock: MadeUpClock;
beforeAll(async () => {
  clock = new MadeUpClock();
  app = await startApp({
    replacements: [
      { provide: Clock, useValue: clock },
      { provide: Packages, useValue: new EveryPackage() },
    ],
  });
});
afterEach(async () => {
  for (const [id, key] of projects.splice(0)) await app.call('site/deleteProject', { id }, key);
  clock.advance(day + 1);
  await sweep();
  expect(await stored()).toEqual([]);
});
afterAll(async () => {
  await app.close();
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
const projects: (readonly [id: string, key: string | undefined])[] = [];
const project = async (key?: string): Promise<string> => {
  const { id } = await done(app, 'site/createProject', { name: 'Shop' }, key);
  projects.push([id, key]);
  return id;
};

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
