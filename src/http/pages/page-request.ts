import type { FastifyRequest } from 'fastify';
import type { Environment } from '../../config/environment.js';
import { refuse } from '../http.refusals.js';

export type PageRequest = FastifyRequest<{
  Params: { id: string };
  Querystring: Record<string, string | string[] | undefined>;
  Body: Buffer | undefined;
}>;

/** @throws Refusal form-unreadable */
export function mustBeForm({ headers }: FastifyRequest): void {
  if (!/^application\/x-www-form-urlencoded *(;|$)/i.test(headers['content-type'] ?? '')) refuse('form-unreadable');
}

export const formOf = ({ body }: PageRequest) => new URLSearchParams(body?.toString('utf8') ?? '');

/**
 * The service's pages send no referrer, so browsers send `Origin: null` with their forms. Then the header
 * `Sec-Fetch-Site` is checked, which browsers send over TLS and to localhost. If it is missing too, only the form token
 * and the cookie protect, which forms of other sites do not have.
 * @throws Refusal form-from-elsewhere
 */
export function mustComeFromHere(request: FastifyRequest, { baseUrl }: Environment): void {
  if (!isFromHost(request) && !isFrom(request, new URL(baseUrl).origin)) refuse('form-from-elsewhere');
}

/**
 * Accepts only forms from the request's own host. On the host of a site, a form from BASE_URL is refused too.
 * @throws Refusal form-from-elsewhere
 */
export function mustComeFromHost(request: FastifyRequest): void {
  if (!isFromHost(request)) refuse('form-from-elsewhere');
}

const isFromHost = (request: FastifyRequest): boolean => {
  const { origin, host } = request.headers;
  const isUndeclared = origin === undefined || origin === 'null';
  return isSameOrigin(request) && (isUndeclared || (URL.canParse(origin) && new URL(origin).host === host));
};

const isFrom = (request: FastifyRequest, origin: string): boolean =>
  isSameOrigin(request) && request.headers.origin === origin;

const isSameOrigin = ({ headers }: FastifyRequest): boolean =>
  (headers['sec-fetch-site'] ?? 'same-origin') === 'same-origin';

/** Paths of the service's own pages. The query has only characters that all browsers interpret in the same way. */
const ownPage =
  /^\/(?:approvals\/(?!sign-|assets)[A-Za-z0-9_-]{1,200}|(?:preview\/[a-z0-9_]{1,64}|app\/[a-z0-9-]{1,63}\/[a-z0-9-]{1,63})(?:\?[A-Za-z0-9_.:=&%+-]{0,1000})?|oauth\/authorize\?[A-Za-z0-9_.:=&%+~*-]{0,4000}|audit(?:\/[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}){0,3}(?:\?[A-Za-z0-9_.:=&%+-]{0,1000})?)$/;

/** Returns `/approvals` unless `asked` leads to one of the service's own pages, because links can be forged. */
export function nextPage(asked: string | null | undefined): string {
  return ownPage.test(asked ?? '') ? String(asked) : '/approvals';
}

/** The path of BASE_URL, or an empty text. */
export const rootOf = ({ baseUrl }: Environment): string => new URL(baseUrl).pathname.replace(/\/$/, '');
