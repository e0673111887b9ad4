import type { FastifyRequest } from 'fastify';
import { headerOf } from '../header-of.js';
import { refuse } from '../http.refusals.js';

type Sent = Pick<FastifyRequest, 'headers' | 'method'>;

/**
 * The sender is a page of the site itself (`own`), a page of another origin (`other`), or neither, such as another
 * client or a followed link (`unsaid`).
 */
export type SentBy = 'own' | 'other' | 'unsaid';

/**
 * The Origin header decides, or else Sec-Fetch-Site. A cookie is no evidence, because browsers also send it with
 * requests from other hosts of the same domain.
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
 * Must be called wherever a cookie authenticates the request (Sites supplement, Where things are served).
 * @throws Refusal origin-not-own
 */
export function mustNotBeOthers(request: Sent): void {
  if (sentBy(request) === 'other') refuse('origin-not-own');
}

/** The scheme may differ, because a proxy may have terminated TLS. */
function isOwn(origin: string, host: string): boolean {
  const from = URL.parse(origin);
  if (from === null || !/^https?:$/.test(from.protocol)) return false;
  return URL.parse(`${from.protocol}//${host}`)?.host === from.host;
}
