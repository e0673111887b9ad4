import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { AssetBytes } from '../../../../ports/site-builder.port.js';

const asGzip = promisify(gzip);
const asBrotli = promisify(brotliCompress);

/** Below this, a compressed form saves no packet. */
const leastBytes = 200;
/** The last steps of brotli take ten times as long for a hundredth of the size. */
const longText = 100_000;

/** With its compressed forms, where these are smaller. */
export async function compressed(plain: Uint8Array, isText: boolean): Promise<AssetBytes> {
  if (!isText || plain.length < leastBytes) return { plain };
  const quality = plain.length > longText ? 9 : 10;
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: quality,
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
