import { isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { Environment } from '../../config/environment.js';

/**
 * Returns what rate limits apply to: the client's address or, for IPv6, its network. With n trusted proxies, the
 * address is the n-th entry of `X-Forwarded-For` from the end; the client can forge earlier entries. The address of a
 * client that has left is no longer known, and is returned as an empty text.
 */
export function addressOf({ headers, ip }: Pick<FastifyRequest, 'headers' | 'ip'>, { edge }: Environment): string {
  const address = (edge.proxies > 0 && forwardedFor(headers, edge.proxies)) || (ip ?? '');
  return address.includes(':') && !address.includes('.') && isIPv6(address) ? networkOf(address) : address;
}

function forwardedFor(headers: FastifyRequest['headers'], proxies: number): string | undefined {
  const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
  return forwarded.at(-proxies)?.trim();
}

/** Returns the /64 network, because one subscriber usually has a whole /64. */
function networkOf(address: string): string {
  const [before = '', after] = address.split('::');
  const [first, last] = [before.split(':'), after === undefined ? [] : after.split(':')];
  return [...first, ...Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0'), ...last]
    .slice(0, 4)
    .join(':');
}
