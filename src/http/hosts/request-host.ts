import type { IncomingMessage } from 'node:http';
import { BoundedCache } from '../../kernel/bounded-cache.js';
import { canonicalHost } from '../../kernel/text/host-name.js';

/** Form of a Host header: `[::1]:3000`, `shop.localhost:3000`, `shop.localhost`. */
const form = /^(\[[^\]]*\]|[^:]*)(?::\d{1,5})?$/;

/** Recently sent Host headers with their results, because most requests send one of a few. Weighed in characters. */
const known = new BoundedCache<Named & { readonly sent: string }>(200_000, ({ sent }) => sent.length);

/** An absolute request target, `GET http://shop.localhost/`, as clients send it to proxies. */
const wholeAddress = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i;

type Sent = Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'url'>;

export interface Named {
  readonly name?: string;
  readonly wrong?: 'missing' | 'odd';
}

/**
 * Returns the canonical host name of a request, without its port. `missing` means that the request names no host, or
 * more than one, including by an absolute request target. `odd` means that it names something that is not a host name.
 */
export function requestHost({ headers, rawHeaders, url = '' }: Sent): Named {
  const sent = headers.host;
  if (sent === undefined || sent === '' || isRepeated(rawHeaders)) return { wrong: 'missing' };
  const addressed = url.startsWith('/') ? undefined : wholeAddress.exec(url)?.[1];
  if (addressed !== undefined && addressed.toLowerCase() !== sent.toLowerCase()) return { wrong: 'missing' };
  const before = known.get(sent);
  if (before !== undefined) return before;
  const named = { ...namedBy(sent), sent };
  known.set(sent, named);
  return named;
}

function namedBy(sent: string): Named {
  const host = form.exec(sent)?.[1] ?? '';
  const name = canonicalHost(host.startsWith('[') ? host.slice(1, -1) : host);
  return name === undefined || name === '' ? { wrong: 'odd' } : { name };
}

/**
 * Whether there is more than one Host header. Node keeps the first and ignores the second, which a proxy in front may
 * have used.
 */
function isRepeated(rawHeaders: readonly string[]): boolean {
  let found = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') found += 1;
  }
  return found > 1;
}
