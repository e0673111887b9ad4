import type { AssetForm, ByteRange } from '../../areas/sites/publication/served-deployments.api.js';
import type { MadeAsset } from '../../ports/offloaded/site-builder.port.js';
import { byteRangeOf, isKnown } from '../files/requested-bytes.js';

export type AssetReply =
  | { readonly status: 200 | 304; readonly form: AssetForm; readonly etag: string; readonly size: number }
  | {
      readonly status: 206;
      readonly form: 'plain';
      readonly etag: string;
      readonly size: number;
      readonly range: ByteRange;
    }
  | { readonly status: 416; readonly size: number };

interface Sent {
  readonly 'accept-encoding'?: string | undefined;
  readonly 'if-none-match'?: string | undefined;
  readonly 'if-range'?: string | undefined;
  readonly range?: string | undefined;
}

const tails: Readonly<Record<AssetForm, string>> = { plain: '', gzip: '-gz', brotli: '-br' };

/** A range refers to the uncompressed bytes. Several ranges are refused (RFC 9110). */
export function assetReplyFor(asset: MadeAsset, sent: Sent): AssetReply {
  const { range, 'if-range': ifRange } = sent;
  const ranged = range !== undefined && (ifRange === undefined || ifRange === etagOf(asset, 'plain'));
  const form = ranged ? 'plain' : formOf(asset, sent['accept-encoding'] ?? '');
  const etag = etagOf(asset, form);
  const size = form === 'plain' ? asset.size : (asset[form] ?? asset.size);
  if (isKnown(sent['if-none-match'], etag)) return { status: 304, form, etag, size };
  const found = ranged ? byteRangeOf(range, asset.size) : 'all';
  if (found === 'all') return { status: 200, form, etag, size };
  if (found === undefined) return { status: 416, size: asset.size };
  return { status: 206, form: 'plain', etag, size: found.to - found.from + 1, range: found };
}

/** Each content encoding of an asset needs its own ETag, because the bytes differ. */
const etagOf = ({ digest }: MadeAsset, form: AssetForm): string => `"${digest.slice(0, 32)}${tails[form]}"`;

function formOf(asset: MadeAsset, acceptEncoding: string): AssetForm {
  if (asset.brotli !== undefined && accepts(acceptEncoding, 'br')) return 'brotli';
  return asset.gzip !== undefined && accepts(acceptEncoding, 'gzip') ? 'gzip' : 'plain';
}

function accepts(header: string, coding: string): boolean {
  for (const part of header.split(',')) {
    const [name = '', ...parameters] = part.split(';').map((one) => one.trim().toLowerCase());
    if (name !== coding) continue;
    return !parameters.some((one) => /^q=0(?:\.0*)?$/.test(one));
  }
  return false;
}
