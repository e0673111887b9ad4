import type { IncomingMessage } from 'node:http';
import { BoundedCache } from '../../kernel/bounded-cache.js';
import { canonicalHost } from '../../kernel/text/host-name.js';

/** Matches `[::1]:3000`, `shop.localhost:3000` and `shop.localhost`. */
const form = /^(\[[^\]]*\]|[^:]*)(?::\d{1,5})?$/;

const known = new BoundedCache<Named & { readonly sent: string }>(200_000, ({ sent }) => sent.length);

/** Absolute request target, such as `http://shop.localhost/`, which clients send to proxies. */
const wholeAddress = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i;

type Sent = Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'url'>;

export interface Named {
  readonly name?: string;
  readonly wrong?: 'missing' | 'odd';
}

/**
 * Returns the canonical name without the port. `missing` means that there is no Host header, or that it is repeated or
 * differs from an absolute request target. `odd` means that the header contains no valid host name.
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

/** Node uses the first of several Host headers, but a proxy in front can have used another one. */
function isRepeated(rawHeaders: readonly string[]): boolean {
  let found = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') found += 1;
  }
  return found > 1;
}
