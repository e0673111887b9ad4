import { randomBytes } from 'node:crypto';
import { afterAll, expect, it } from '@jest/globals';
import { EmbeddedDirectory } from '../../../../test/contracts/embedded-directory.js';
import { allOf } from '../../../../test/support/all-of.js';
import { MadeUpClock } from '../../../../test/support/clocks/made-up-clock.js';
import { EmbeddedBlobs } from '../../../adapters/blobs/embedded/embedded-blobs.adapter.js';
import { AssetGone, SiteAssetBlobs } from './site-asset-blobs.js';

const directory = new EmbeddedDirectory();
const blobs = new EmbeddedBlobs({
  directory: directory.path,
  masterKey: randomBytes(32),
  clock: new MadeUpClock(),
});
afterAll(async () => {
  await blobs.close();
  directory.remove();
});

const plain = Buffer.from('content');
const asset = { name: 'page-1.js', type: 'text/javascript', digest: 'd1', size: plain.length };
const mebibyte = 1024 * 1024;

it.each([
  ['longer', 100, 101],
  ['shorter', 100, 99],
  ['a part longer', mebibyte + 5, 2 * mebibyte + 5],
  ['a part shorter', mebibyte + 5, mebibyte - 5],
  ['longer in its last part', mebibyte + 5, mebibyte + 6],
])('does not serve a compressed form that another build replaced by one that is %s', async (_, before, after) => {
  const [assets, built] = [new SiteAssetBlobs(blobs), { ...asset, digest: `d-${before}-${after}`, gzip: before }];
  await assets.store('ws_1', built, { plain, gzip: randomBytes(before) });
  expect(Buffer.concat(await allOf(assets.bytesOf('ws_1', built, 'gzip')))).toHaveLength(before);
  // Another version of the compression library compresses the same content to other bytes.
  await assets.store('ws_1', built, { plain, gzip: randomBytes(after) });
  const served = new SiteAssetBlobs(blobs).bytesOf('ws_1', built, 'gzip');
  await expect(served.next()).rejects.toThrow(AssetGone);
  expect(Buffer.concat(await allOf(assets.bytesOf('ws_1', built, 'plain')))).toEqual(plain);
});
