import type { IncomingMessage } from 'node:http';
import { canonicalHost } from '../../kernel/text/host-name.js';

/** `[::1]:3000`, `shop.localhost:3000`, `shop.localhost`. */
const form = /^(\[[^\]]*\]|[^:]*)(?::\d{1,5})?$/;

/** `GET http://shop.localhost/`, as clients ask proxies. */
const wholeAddress = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i;

type Sent = Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'url'>;

/**
 * The canonical host name that a request is for, without its port. `missing`: it names none, or more than one, be it by a
 * whole address. `odd`: what it names is no host name.
 */
export function requestHost({ headers, rawHeaders, url = '' }: Sent): {
  readonly name?: string;
  readonly wrong?: 'missing' | 'odd';
} {
  const sent = headers.host;
  if (sent === undefined || sent === '' || isRepeated(rawHeaders)) return { wrong: 'missing' };
  const addressed = wholeAddress.exec(url)?.[1];
  if (addressed !== undefined && addressed.toLowerCase() !== sent.toLowerCase()) return { wrong: 'missing' };
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
