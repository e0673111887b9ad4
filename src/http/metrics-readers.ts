import { BlockList } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { Environment } from '../config/environment.js';
import { equalInConstantTime } from '../kernel/text/same-text.js';
import { refuse } from './http.refusals.js';

const thisMachine = new BlockList();
thisMachine.addSubnet('127.0.0.0', 8, 'ipv4');
thisMachine.addAddress('::1', 'ipv6');

const proxyHeaders = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'];

/**
 * If no metrics token is configured, allows requests from this machine, except those that a proxy forwards.
 * @throws Refusal
 */
export function mayReadMetrics({ headers, raw }: FastifyRequest, { edge: { metricsToken } }: Environment): void {
  if (metricsToken !== undefined) {
    const sent = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? '';
    if (!equalInConstantTime(metricsToken, sent)) refuse('metrics-token-wrong');
    return;
  }
  const isProxied = proxyHeaders.some((name) => headers[name] !== undefined);
  const address = raw.socket.remoteAddress ?? '';
  const isHere = thisMachine.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
  if (isProxied || !isHere) refuse('metrics-not-open');
}
