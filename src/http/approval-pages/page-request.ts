import type { FastifyRequest } from 'fastify';
import type { Environment } from '../../config/environment.js';
import { refuse } from '../../kernel/refusal.js';

export type PageRequest = FastifyRequest<{
  Params: { id: string };
  Querystring: Record<string, string | string[] | undefined>;
  Body: Buffer | undefined;
}>;

/** @throws Refusal form-unreadable */
export function mustBeForm({ headers }: FastifyRequest): void {
  if (!/^application\/x-www-form-urlencoded *(;|$)/i.test(headers['content-type'] ?? '')) refuse('form-unreadable');
}

/** What a form sent. */
export const formOf = ({ body }: PageRequest) => new URLSearchParams(body?.toString('utf8') ?? '');

/**
 * Refuses what another site made the browser send. Browsers say `Origin: null` for forms of pages that tell nobody
 * where they come from, as ours do; then `Sec-Fetch-Site` tells, which they send over TLS and to localhost. Where
 * neither tells, the form's token and the cookie, which other sites' forms do not bring, have to do. @throws Refusal
 */
export function mustComeFromHere({ headers }: FastifyRequest, { baseUrl }: Environment): void {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') refuse('form-from-elsewhere');
  const { origin, host } = headers;
  if (origin === undefined || origin === 'null') return;
  const isHere = origin === new URL(baseUrl).origin || (URL.canParse(origin) && new URL(origin).host === host);
  if (!isHere) refuse('form-from-elsewhere');
}

/** The page to go on to after signing in: one of these, whatever the link says. */
export function nextPage(asked: string | null | undefined): string {
  return /^\/approvals\/(?!sign-|assets)[A-Za-z0-9_-]{1,200}$/.test(asked ?? '') ? String(asked) : '/approvals';
}

/** What the paths of links begin with: empty, or the path that BASE_URL ends in. */
export const rootOf = ({ baseUrl }: Environment): string => new URL(baseUrl).pathname.replace(/\/$/, '');
