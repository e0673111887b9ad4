import type { FastifyRequest } from 'fastify';
import type { Environment } from '../../config/environment.js';
import { refuse } from '../http.refusals.js';

export type PageRequest = FastifyRequest<{
  Params: { id: string };
  Querystring: Record<string, string | string[] | undefined>;
  Body: Buffer | undefined;
}>;

/** Refuses a body that is not a form. @throws Refusal form-unreadable */
export function mustBeForm({ headers }: FastifyRequest): void {
  if (!/^application\/x-www-form-urlencoded *(;|$)/i.test(headers['content-type'] ?? '')) refuse('form-unreadable');
}

export const formOf = ({ body }: PageRequest) => new URLSearchParams(body?.toString('utf8') ?? '');

/**
 * Refuses requests that another site made the browser send. Our pages send no referrer, so browsers send `Origin: null`
 * with their forms. Then `Sec-Fetch-Site` decides, which browsers send over TLS and to localhost. If there is neither,
 * the form's token and the cookie protect us, because other sites' forms do not have them. @throws Refusal
 */
export function mustComeFromHere(request: FastifyRequest, { baseUrl }: Environment): void {
  if (!isFromHost(request) && !isFrom(request, new URL(baseUrl).origin)) refuse('form-from-elsewhere');
}

/**
 * Like `mustComeFromHere`, for forms on a site's own host, where BASE_URL is another site. @throws Refusal
 * form-from-elsewhere
 */
export function mustComeFromHost(request: FastifyRequest): void {
  if (!isFromHost(request)) refuse('form-from-elsewhere');
}

const isFromHost = (request: FastifyRequest): boolean => {
  const { origin, host } = request.headers;
  const isUnsaid = origin === undefined || origin === 'null';
  return isSameOrigin(request) && (isUnsaid || (URL.canParse(origin) && new URL(origin).host === host));
};

const isFrom = (request: FastifyRequest, origin: string): boolean =>
  isSameOrigin(request) && request.headers.origin === origin;

const isSameOrigin = ({ headers }: FastifyRequest): boolean =>
  (headers['sec-fetch-site'] ?? 'same-origin') === 'same-origin';

/** A path of our own pages, with a query that browsers read the same way as we do. */
const ownPage =
  /^\/(?:approvals\/(?!sign-|assets)[A-Za-z0-9_-]{1,200}|(?:preview\/[a-z0-9_]{1,64}|app\/[a-z0-9-]{1,63}\/[a-z0-9-]{1,63})(?:\?[A-Za-z0-9_.:=&%+-]{0,1000})?|oauth\/authorize\?[A-Za-z0-9_.:=&%+~*-]{0,4000}|audit(?:\/[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}){0,3}(?:\?[A-Za-z0-9_.:=&%+-]{0,1000})?)$/;

/** Returns the page to show after signing in. Only our own pages are possible, whatever the link contains. */
export function nextPage(asked: string | null | undefined): string {
  return ownPage.test(asked ?? '') ? String(asked) : '/approvals';
}

/** Returns the prefix of paths in links: empty, or the path of BASE_URL. */
export const rootOf = ({ baseUrl }: Environment): string => new URL(baseUrl).pathname.replace(/\/$/, '');
