import type { ByteRange } from '../../areas/sites/publication/served-deployments.api.js';

/** Which bytes of something with a strong ETag a request gets. */
export type RequestedBytes = { readonly status: 200 | 304 | 416 } | { readonly status: 206; readonly range: ByteRange };

interface Asked {
  readonly method: string;
  readonly headers: {
    readonly 'if-none-match'?: string | undefined;
    readonly 'if-range'?: string | undefined;
    readonly range?: string | undefined;
  };
}

/** RFC 9110: conditions come first, then the range of a GET. `etag` with its quotes, `size` in bytes. */
export function requestedBytes(
  { method, headers }: Asked,
  { etag, size }: { readonly etag: string; readonly size: number },
): RequestedBytes {
  if (isKnown(headers['if-none-match'], etag)) return { status: 304 };
  const { range, 'if-range': ifRange } = headers;
  if (method !== 'GET' || range === undefined || (ifRange !== undefined && ifRange !== etag)) return { status: 200 };
  const found = rangeOf(range, size);
  if (found === 'all') return { status: 200 };
  return found === undefined ? { status: 416 } : { status: 206, range: found };
}

/** Whether the client says that it has what the ETag names. */
export function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag);
}

/**
 * `all`: it is no range of bytes, and ignored. Undefined: none that there is, or several, which would make one answer many
 * times as large as the whole.
 */
export function rangeOf(header: string, size: number): ByteRange | 'all' | undefined {
  if (!/^bytes=/i.test(header)) return 'all';
  const [, first = '', last = ''] = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i.exec(header) ?? [];
  if (first === '' && last === '') return undefined;
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const to = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return from > to ? undefined : { from, to };
}
