/** Counted from 0, both ends included. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

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
 * `all`: what is asked for is no single range of bytes, and the whole is sent. Several ranges would make one answer many
 * times as large as the whole. Undefined: there are no such bytes.
 */
export function rangeOf(header: string, size: number): ByteRange | 'all' | undefined {
  const [, first = '', last = ''] = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i.exec(header) ?? [];
  if (first === '' && last === '') return 'all';
  if (first !== '' && last !== '' && Number(last) < Number(first)) return 'all';
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const to = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return from > to ? undefined : { from, to };
}
