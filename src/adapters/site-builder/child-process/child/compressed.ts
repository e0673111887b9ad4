import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { AssetBytes } from '../../../../ports/offloaded/site-builder.port.js';

const asGzip = promisify(gzip);
const asBrotli = promisify(brotliCompress);

/** Size, in bytes, from which an asset is compressed. Compressing a smaller one would not save a network packet. */
const leastBytes = 200;
/**
 * Sizes, in bytes, between which Brotli's highest level is used. It takes twice as long, which is acceptable for the
 * few scripts of this size, but not for hundreds of small pages or for a large library.
 */
const dense = { from: 20_000, to: 500_000 };

const qualityOf = (bytes: number) => (bytes < dense.from ? 10 : bytes < dense.to ? 11 : 9);

export async function compressed(plain: Uint8Array, isText: boolean): Promise<AssetBytes> {
  if (!isText || plain.length < leastBytes) return { plain };
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: qualityOf(plain.length),
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_SIZE_HINT]: plain.length,
  };
  const [small, smaller] = await Promise.all([asGzip(plain, { level: 9 }), asBrotli(plain, { params })]);
  return {
    plain,
    ...(small.length < plain.length ? { gzip: small } : {}),
    ...(smaller.length < plain.length ? { brotli: smaller } : {}),
  };
}
