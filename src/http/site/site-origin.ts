import type { FastifyRequest } from 'fastify';
import { headerOf } from '../header-of.js';
import { refuse } from '../http.refusals.js';

type Sent = Pick<FastifyRequest, 'headers' | 'method'>;

/** Which page made the browser send a request. `unsaid`: it was no browser, or one that follows a link. */
export type SentBy = 'own' | 'other' | 'unsaid';

/**
 * By Origin, and where there is none by Sec-Fetch-Site. Neighbours under one domain are one site to browsers, so cookies
 * alone do not tell them apart.
 */
export function sentBy(request: Sent): SentBy {
  const origin = headerOf(request, 'origin');
  if (origin !== undefined) return isOwn(origin, request.headers.host ?? '') ? 'own' : 'other';
  const site = headerOf(request, 'sec-fetch-site');
  if (site === undefined || site === 'none') return 'unsaid';
  if (site === 'same-origin') return 'own';
  return request.method === 'GET' || request.method === 'HEAD' ? 'unsaid' : 'other';
}

/** To be asked where a cookie speaks (Sites supplement, Where things are served). @throws Refusal origin-not-own */
export function mustNotBeOthers(request: Sent): void {
  if (sentBy(request) === 'other') refuse('origin-not-own');
}

/** The scheme is not compared: a proxy in front may have taken TLS off. */
function isOwn(origin: string, host: string): boolean {
  const from = URL.parse(origin);
  if (from === null || !/^https?:$/.test(from.protocol)) return false;
  return URL.parse(`${from.protocol}//${host}`)?.host === from.host;
}
