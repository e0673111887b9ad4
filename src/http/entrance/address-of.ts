import { isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { Environment } from '../../config/environment.js';

/**
 * Where a request comes from, for counting. Each proxy that is trusted has added the address it saw to the header, so
 * with one of them it is the last. What stands before that, the client wrote itself.
 */
export function addressOf({ headers, ip }: Pick<FastifyRequest, 'headers' | 'ip'>, { edge }: Environment): string {
  const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
  const address = (edge.proxies > 0 && forwarded.at(-edge.proxies)?.trim()) || ip;
  return isIPv6(address) && !address.includes('.') ? networkOf(address) : address;
}

/** Of an IPv6 address, the half that one subscriber shares at least: they have all of the other half. */
function networkOf(address: string): string {
  const [before = '', after] = address.split('::');
  const [first, last] = [before.split(':'), after === undefined ? [] : after.split(':')];
  return [...first, ...Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0'), ...last]
    .slice(0, 4)
    .join(':');
}
