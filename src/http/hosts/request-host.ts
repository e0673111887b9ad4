import type { IncomingMessage } from 'node:http';
import { BoundedCache } from '../../kernel/bounded-cache.js';
import { canonicalHost } from '../../kernel/text/host-name.js';

/** `[::1]:3000`, `shop.localhost:3000`, `shop.localhost`. */
const form = /^(\[[^\]]*\]|[^:]*)(?::\d{1,5})?$/;

/** Hosts as they were sent lately: most requests send one of a few. In characters. */
const known = new BoundedCache<Named & { readonly sent: string }>(200_000, ({ sent }) => sent.length);

/** `GET http://shop.localhost/`, as clients ask proxies. */
const wholeAddress = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i;

type Sent = Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'url'>;

export interface Named {
  readonly name?: string;
  readonly wrong?: 'missing' | 'odd';
}

/**
 * The canonical host name that a request is for, without its port. `missing`: it names none, or more than one, be it by a
 * whole address. `odd`: what it names is no host name.
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

/** Node keeps the first of two and says nothing of the second, which a proxy in front may have gone by. */
function isRepeated(rawHeaders: readonly string[]): boolean {
  let found = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') found += 1;
  }
  return found > 1;
}
