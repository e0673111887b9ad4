import type { FastifyRequest } from 'fastify';
import { headerOf } from '../header-of.js';
import { refuse } from '../http.refusals.js';

type Sent = Pick<FastifyRequest, 'headers' | 'method'>;

/**
 * Sender of a request: a page of the site itself (`own`), a foreign page (`other`), or no page (`unsaid`), because the
 * client is not a browser or followed a link.
 */
export type SentBy = 'own' | 'other' | 'unsaid';

/**
 * Determines the sender by Origin or, if there is none, by Sec-Fetch-Site. Browsers treat hosts under one domain as the
 * same site, so cookies alone do not distinguish them.
 */
export function sentBy(request: Sent): SentBy {
  const origin = headerOf(request, 'origin');
  if (origin !== undefined) return isOwn(origin, request.headers.host ?? '') ? 'own' : 'other';
  const site = headerOf(request, 'sec-fetch-site');
  if (site === undefined || site === 'none') return 'unsaid';
  if (site === 'same-origin') return 'own';
  return request.method === 'GET' || request.method === 'HEAD' ? 'unsaid' : 'other';
}

/**
 * Refuses requests from foreign pages. Must be called if a cookie authenticates the request (Sites supplement, Where
 * things are served). @throws Refusal origin-not-own
 */
export function mustNotBeOthers(request: Sent): void {
  if (sentBy(request) === 'other') refuse('origin-not-own');
}

/** Compares hosts but not schemes, because a proxy in front may have terminated TLS. */
function isOwn(origin: string, host: string): boolean {
  const from = URL.parse(origin);
  if (from === null || !/^https?:$/.test(from.protocol)) return false;
  return URL.parse(`${from.protocol}//${host}`)?.host === from.host;
}
