import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip } from 'node:zlib';
import type { AssetBytes, MadeAsset } from '../../../ports/offloaded/site-builder.port.js';

const fromGzip = promisify(gunzip);
const fromBrotli = promisify(brotliDecompress);

/**
 * Splits the body of an asset's message into the uncompressed bytes and their gzip and brotli forms.
 * @throws Error if the bytes do not match the announcement, because the child is not trusted
 */
export async function announcedBytes(
  { size, gzip = 0, brotli = 0, digest }: MadeAsset,
  body: Uint8Array,
): Promise<AssetBytes> {
  const bytes = {
    plain: body.subarray(0, size),
    ...(gzip > 0 ? { gzip: body.subarray(size, size + gzip) } : {}),
    ...(brotli > 0 ? { brotli: body.subarray(size + gzip) } : {}),
  };
  const isWhole =
    body.length === size + gzip + brotli &&
    hash('sha256', bytes.plain, 'hex') === digest &&
    (await opensTo(bytes.plain, bytes.gzip, fromGzip)) &&
    (await opensTo(bytes.plain, bytes.brotli, fromBrotli));
  if (!isWhole) throw new Error('The build process sent other bytes than it announced.');
  return bytes;
}

async function opensTo(plain: Uint8Array, form: Uint8Array | undefined, open: typeof fromGzip): Promise<boolean> {
  if (form === undefined) return true;
  const opened = await open(form, { maxOutputLength: Math.max(1, plain.length) }).catch(() => undefined);
  return opened?.equals(plain) === true;
}
