import { isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { Environment } from '../../config/environment.js';
import { refuse } from '../../kernel/refusal.js';

export type PageRequest = FastifyRequest<{
  Params: { id: string };
  Querystring: Record<string, string | string[] | undefined>;
  Body: Buffer | undefined;
}>;

/** What a form sent. @throws Refusal */
export function formOf({ headers, body }: PageRequest): URLSearchParams {
  const isForm = /^application\/x-www-form-urlencoded *(;|$)/i.test(headers['content-type'] ?? '');
  if (!isForm) refuse('form-unreadable');
  return new URLSearchParams(body?.toString('utf8') ?? '');
}

/**
 * Refuses what another site made the browser send. Browsers say `Origin: null` for forms of pages that tell nobody
 * where they come from, as ours do; then `Sec-Fetch-Site` tells, which they send over TLS and to localhost. Where
 * neither tells, the form's token and the cookie, which other sites' forms do not bring, have to do. @throws Refusal
 */
export function mustComeFromHere({ headers }: PageRequest, { baseUrl }: Environment): void {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') refuse('form-from-elsewhere');
  const { origin, host } = headers;
  if (origin === undefined || origin === 'null') return;
  const isHere = origin === new URL(baseUrl).origin || (URL.canParse(origin) && new URL(origin).host === host);
  if (!isHere) refuse('form-from-elsewhere');
}

/**
 * Where a request comes from. Nobody speaks TLS to this service itself, so where links begin with https a reverse proxy
 * stands before it, and the last address of the header is the one that the proxy has seen.
 */
export function addressOf({ headers, ip }: PageRequest, { baseUrl }: Environment): string {
  const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',').at(-1)?.trim();
  const address = baseUrl.startsWith('https:') && forwarded ? forwarded : ip;
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

/** The page to go on to after signing in: one of these, whatever the link says. */
export function nextPage(asked: string | null | undefined): string {
  return /^\/approvals\/(?!sign-|assets)[A-Za-z0-9_-]{1,200}$/.test(asked ?? '') ? String(asked) : '/approvals';
}

/** What the paths of links begin with: empty, or the path that BASE_URL ends in. */
export const rootOf = ({ baseUrl }: Environment): string => new URL(baseUrl).pathname.replace(/\/$/, '');
