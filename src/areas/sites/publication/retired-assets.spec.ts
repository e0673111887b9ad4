import { beforeEach, describe, expect, it } from '@jest/globals';
import type { SiteAsset } from '../../../ports/offloaded/site-builder.port.js';
import { RetiredAssets } from './retired-assets.js';
import { AssetGone } from './site-asset-blobs.js';
import type { SiteManifests } from './site-manifests.js';

const site = { workspaceId: 'ws_1', projectId: 'proj_1' };

const manifests = new Map<string, Readonly<Record<string, SiteAsset['pages']>>>();
const opened: string[] = [];
let retired: RetiredAssets;
const retiredOf = (assetsOf: (digest: string) => readonly { readonly name: string; readonly pages: unknown }[]) =>
  new RetiredAssets({
    glance: async (_: string, digest: string) => {
      opened.push(digest);
      return { assets: assetsOf(digest) };
    },
  } as unknown as SiteManifests);
beforeEach(() => {
  manifests.clear();
  opened.length = 0;
  retired = retiredOf((digest) => {
    const assets = manifests.get(digest);
    if (assets === undefined) throw new AssetGone(`${digest} is gone.`);
    return Object.entries(assets).map(([name, pages]) => ({ name, pages }));
  });
});

describe('the assets of retired deployments', () => {
  it('are found by name, in the newest deployments first', async () => {
    manifests.set('m1', { 'a.js': ['p1'], 'own.js': ['p1'] });
    manifests.set('m2', { 'a.js': ['p1', 'p2'] });
    expect(await retired.having(site, 'a.js', ['m2', 'm1'])).toEqual(['m2', 'm1']);
    expect(await retired.having(site, 'own.js', ['m2', 'm1'])).toEqual(['m1']);
    expect(await retired.having(site, 'own.js', ['m2'])).toEqual([]);
  });

  it('are found once if several deployments give them to the same pages', async () => {
    for (const digest of ['m1', 'm2', 'm3']) manifests.set(digest, { 'a.js': digest === 'm2' ? 'all' : ['p1'] });
    expect(await retired.having(site, 'a.js', ['m3', 'm2', 'm1'])).toEqual(['m3', 'm2']);
    expect(await retired.having(site, 'a.js', ['m1', 'm2'])).toEqual(['m1', 'm2']);
  });

  it('are read once, however often unknown names are requested', async () => {
    const all = Array.from({ length: 200 }, (_, index) => `m${index}`);
    for (const digest of all) manifests.set(digest, { [`${digest}.js`]: ['p1'] });
    const asked = Array.from({ length: 50 }, (_, index) => retired.having(site, `none-${index}.js`, all));
    expect((await Promise.all(asked)).flat()).toEqual([]);
    expect(opened).toHaveLength(200);
    manifests.set('new', {});
    await retired.having(site, 'none.js', ['new', ...all]);
    expect(opened.slice(200)).toEqual(['new']);
  });

  it('of a deleted manifest are unknown, but a failure is no answer', async () => {
    expect(await retired.having(site, 'a.js', ['gone'])).toEqual([]);
    const failing = new RetiredAssets({ glance: async () => Promise.reject(new Error('No.')) } as never);
    await expect(failing.having(site, 'a.js', ['m1'])).rejects.toThrow('No.');
  });

  it('are dropped for the least recently used site if there are too many', async () => {
    const one = { name: '7.js', pages: 'all' };
    // The index counts assets, not different names. Repeating one name saves memory, although a real manifest has each
    // name only once.
    const many = [one, ...Array(499_998).fill({ ...one, name: 'other.js' })];
    retired = retiredOf((digest) => (digest === 'large' ? many : [one]));
    const large = { ...site, projectId: 'proj_2' };
    expect(await retired.having(site, '7.js', ['small'])).toEqual(['small']);
    for (let time = 0; time < 2; time += 1) expect(await retired.having(large, '7.js', ['large'])).toEqual(['large']);
    expect(await retired.having(site, '7.js', ['small'])).toEqual(['small']);
    expect(opened).toEqual(['small', 'large', 'small']);
  });
});
