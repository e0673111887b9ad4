import type { ByteRange } from '../../areas/sites/publication/served-deployments.api.js';

/** Status of the response to a request for content with a strong ETag, and the bytes to send. */
export type RequestedBytes = { readonly status: 200 | 304 | 416 } | { readonly status: 206; readonly range: ByteRange };

interface Asked {
  readonly method: string;
  readonly headers: {
    readonly 'if-none-match'?: string | undefined;
    readonly 'if-range'?: string | undefined;
    readonly range?: string | undefined;
  };
}

/**
 * Evaluates a request by RFC 9110: conditions first, then the range of a GET. `etag` includes its quotes; `size` is in
 * bytes.
 */
export function requestedBytes(
  { method, headers }: Asked,
  { etag, size }: { readonly etag: string; readonly size: number },
): RequestedBytes {
  if (isKnown(headers['if-none-match'], etag)) return { status: 304 };
  const { range, 'if-range': ifRange } = headers;
  if (method !== 'GET' || range === undefined || (ifRange !== undefined && ifRange !== etag)) return { status: 200 };
  const found = byteRangeOf(range, size);
  if (found === 'all') return { status: 200 };
  return found === undefined ? { status: 416 } : { status: 206, range: found };
}

/** Whether the client states that it already has the content with this ETag. */
export function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag);
}

/**
 * Parses a Range header. Returns `all` if it is not in bytes, and therefore ignored. Returns undefined for a range
 * outside the content, and for several ranges, which could make a response many times as large as the whole.
 */
export function byteRangeOf(header: string, size: number): ByteRange | 'all' | undefined {
  if (!/^bytes=/i.test(header)) return 'all';
  const [, first = '', last = ''] = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i.exec(header) ?? [];
  if (first === '' && last === '') return undefined;
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const to = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return from > to ? undefined : { from, to };
}
