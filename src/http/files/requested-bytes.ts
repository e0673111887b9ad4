import type { ByteRange } from '../../areas/sites/publication/served-deployments.api.js';

export type RequestedBytes = { readonly status: 200 | 304 | 416 } | { readonly status: 206; readonly range: ByteRange };

interface RangeRequest {
  readonly method: string;
  readonly headers: {
    readonly 'if-none-match'?: string | undefined;
    readonly 'if-range'?: string | undefined;
    readonly range?: string | undefined;
  };
}

/**
 * Evaluates the conditions of a request and then, for a GET, its range (RFC 9110).
 * @param etag a strong ETag, including its quotes
 * @param size in bytes
 */
export function requestedBytes(
  { method, headers }: RangeRequest,
  { etag, size }: { readonly etag: string; readonly size: number },
): RequestedBytes {
  if (isKnown(headers['if-none-match'], etag)) return { status: 304 };
  const { range, 'if-range': ifRange } = headers;
  if (method !== 'GET' || range === undefined || (ifRange !== undefined && ifRange !== etag)) return { status: 200 };
  const found = byteRangeOf(range, size);
  if (found === 'all') return { status: 200 };
  return found === undefined ? { status: 416 } : { status: 206, range: found };
}

export function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag);
}

/**
 * Returns `all` if the unit is not bytes, because such a range must be ignored. Returns undefined if the range is
 * malformed or cannot be satisfied. Several ranges are refused in the same way, because overlapping ranges could
 * multiply the size of the response.
 */
export function byteRangeOf(header: string, size: number): ByteRange | 'all' | undefined {
  if (!/^bytes=/i.test(header)) return 'all';
  const [, first = '', last = ''] = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i.exec(header) ?? [];
  if (first === '' && last === '') return undefined;
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const to = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return from > to ? undefined : { from, to };
}
