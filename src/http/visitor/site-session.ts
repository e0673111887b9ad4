import type { FastifyRequest } from 'fastify';
import type { DeliveryHeaders } from '../../areas/triggers/webhook/delivery.api.js';
import { headerOf } from '../header-of.js';

const header = 'x-site-session';

/**
 * The session of a site that a request carries; undefined: none, and it may have ended. Only the header counts here: the
 * cookie of a site belongs to the site's own host.
 */
export const sentSession = (request: Pick<FastifyRequest, 'headers'>): string | undefined => headerOf(request, header);

/** What code may see of a request's headers: it must not go on to act with the visitor's session. */
export function withoutSession({ [header]: _, ...headers }: DeliveryHeaders): DeliveryHeaders {
  return headers;
}
