import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Project } from '../../../src/areas/sites/project/project.record.js';
import { allAssets } from '../../../src/areas/sites/publication/site-asset-blobs.js';
import { SiteAssetSweep } from '../../../src/areas/sites/publication/site-asset-sweep.js';
import { allManifests, SiteManifests } from '../../../src/areas/sites/publication/site-manifests.js';
import { Blobs } from '../../../src/ports/blobs.port.js';
import { Clock } from '../../../src/ports/clock.port.js';
import type { TestApp } from '../../support/app.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { done } from '../../support/people.js';
import { PublishingSite, pageOf, startPublishing } from '../../support/sites/publishing.js';
import { InstantSiteBuilder, WatchedSiteBuilder } from '../../support/sites/site-builder.js';
import { SiteClient } from '../../support/sites/site-client.js';
import { sagasAreDone } from '../../support/stores/sagas-are-done.js';

const day = 24 * 3_600_000;

let app: TestApp;
let clock: MadeUpClock;
let workspaceId: string;
let builder: WatchedSiteBuilder;
let site: PublishingSite;
beforeEach(async () => {
  clock = new MadeUpClock();
  ({ app, workspaceId, builder } = await startPublishing(
    [{ provide: Clock, useValue: clock }],
    new WatchedSiteBuilder(new InstantSiteBuilder()),
  ));
  site = await PublishingSite.create({ app, workspaceId });
});
afterEach(() => app.close());

const blobs = () => app.app.get(Blobs, { strict: false });
const sweep = () => app.app.get(SiteAssetSweep, { strict: false }).sweep();
const stored = async () => {
  const names = [...(await blobs().names(allAssets)), ...(await blobs().names(allManifests))];
  return new Set(names.map((name) => name.split('/')[2]));
};
const asProject = async () => ({ ...(await site.project()), workspaceId }) as unknown as Project;

async function textOf(name: string): Promise<string> {
  const asset = (await site.live())?.assets.find((one) => one.name === name);
  if (asset === undefined) throw new Error(`${name} is not there.`);
  const pieces: Uint8Array[] = [];
  for await (const piece of site.served().bytes(site, asset, 'plain')) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

describe('what a publish stores', () => {
  it('is written only if it changed, and deleted a day after its last use', async () => {
    const page = await site.page('/a', { content: pageOf('first words') });
    await site.publish();
    const script = (await site.live())?.pages.find(({ path }) => path === '/a')?.script ?? '';
    expect(await textOf(script)).toContain('first words');
    const [before, home] = [await stored(), (await site.live())?.pages[0]];
    builder.made.length = 0;
    await done(app, 'site/updatePage', { id: page.id, content: pageOf('other words') });
    await site.publish();
    expect((await site.live())?.pages[0]).toEqual(home);
    expect(builder.made.some((name) => name === home?.script || name === home?.styles)).toBe(false);
    clock.advance(day + 1);
    await sweep();
    const kept = await stored();
    expect([...before].filter((digest) => !kept.has(digest))).toEqual([]);
    const glances = jest.spyOn(app.app.get(SiteManifests, { strict: false }), 'glance');
    await sweep();
    expect(glances).not.toHaveBeenCalled();
    await done(app, 'site/deleteProject', { id: site.id });
    await done(app, 'automations/createFunction', { name: 'Other', code: 'return 1;' });
    await sagasAreDone(app);
    await sweep();
    expect(await stored()).toEqual(new Set());
  });
});

it('an asset is sent uncompressed if another build has replaced its compressed form', async () => {
  await site.publish();
  const name = (await site.live())?.pages[0]?.script ?? '';
  const digest = (await site.live())?.assets.find((one) => one.name === name)?.digest;
  const client = new SiteClient(app, `${(await site.project()).subdomain}.localhost:3000`);
  const get = async () => {
    const { status, headers, bytes } = await client.get(`/_site/${name}`, { 'accept-encoding': 'gzip' });
    const encoding = headers['content-encoding'];
    return [status, encoding, (encoding === 'gzip' ? gunzipSync(bytes) : bytes).toString()];
  };
  const text = await textOf(name);
  // Another version of the compression library makes other bytes of the same content.
  await blobs().put(`${allAssets}/${workspaceId}/${digest}/gzip/0`, gzipSync(text, { level: 0 }));
  expect(await get()).toEqual([200, undefined, text]);
  await blobs().put(`${allAssets}/${workspaceId}/${digest}/gzip/0`, gzipSync(text));
  expect(await get()).toEqual([200, 'gzip', text]);
});

describe('a preview', () => {
  it('shows the present content, is built once for each change, and cached for a day', async () => {
    const preview = async () => site.served().preview(await asProject());
    const first = await preview();
    expect(first.pages.map(({ path, html }) => [path, html])).toEqual([['/', undefined]]);
    expect([await preview(), builder.wanted.length]).toEqual([first, 1]);
    const page = await site.page('/draft');
    expect((await preview()).pages.map(({ path }) => path)).toEqual(['/', '/draft']);
    await done(app, 'site/updatePage', { id: page.id, content: '// BROKEN' });
    await expect(preview()).rejects.toThrow('The file has no default export.');
    await done(app, 'site/deletePage', { id: page.id });
    const again = await preview();
    const kept = await stored();
    await sweep();
    expect(await stored()).toEqual(kept);
    clock.advance(day + 1);
    await sweep();
    expect(await stored()).toEqual(new Set());
    expect((await preview()).pages).toEqual(again.pages);
  });
});
