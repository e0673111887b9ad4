import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SiteHost } from '../../areas/sites/project/addresses/site-hosts.api.js';
import { SiteOrigins } from '../../areas/sites/project/addresses/site-origins.api.js';
import { Environment } from '../../config/environment.js';
import { MemberSessions } from './member-sessions.js';
import { isOwnPath, locationOf } from './own-path.js';
import { sendPlainPage } from './plain-page.js';
import type { SiteVisit } from './site-door.js';

/** After signing in, members are redirected to this path on the host of the preview or app, with a code. */
export const entryPath = '/_site/enter';

@Injectable()
export class MemberEntry {
  constructor(
    private readonly sessions: MemberSessions,
    private readonly origins: SiteOrigins,
    private readonly environment: Environment,
  ) {}

  /**
   * Responds to a browser that is not signed in on this host by redirecting it to the sign-in. Requests for assets, and
   * requests other than GET, get the page `not-found` instead. A member who is already signed in on this host gets here
   * only with `entryPath`, after opening the preview or app again by its address on the service's own host.
   */
  async answer({ host, member }: SiteVisit, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { pathname, searchParams } = new URL(request.originalUrl, 'http://site');
    if (request.method !== 'GET') return sendPlainPage(reply, 'not-found');
    if (pathname !== entryPath) {
      return pathname.startsWith('/_site/')
        ? sendPlainPage(reply, 'not-found')
        : this.toSignIn(host, request, reply, request.originalUrl);
    }
    const next = continuePath(searchParams);
    const code = searchParams.get('code');
    const cookies = code === null ? undefined : await this.sessions.enter(code, request.headers.cookie, host);
    if (cookies !== undefined) return lead(reply.header('Set-Cookie', cookies), next);
    if (member !== undefined) return lead(reply, next);
    return code === null ? this.toSignIn(host, request, reply, next) : sendPlainPage(reply, 'code-used');
  }

  private async toSignIn(host: SiteHost, request: FastifyRequest, reply: FastifyReply, next: string) {
    const path = await this.origins.entryOf(host);
    if (path === undefined) return sendPlainPage(reply, 'not-found');
    const { digest, setCookie } = this.sessions.browserOf(request.headers.cookie);
    const query = new URLSearchParams({ browser: digest, ...(isOwnPath(next) && next !== '/' ? { next } : {}) });
    return lead(reply.header('Set-Cookie', setCookie), `${this.environment.baseUrl}${path}?${query}`);
  }
}

/** Returns `/` if `next` is not a path of the same site, because links can be forged. */
export function continuePath(query: URLSearchParams): string {
  const next = query.get('next') ?? '/';
  return isOwnPath(next) ? next : '/';
}

const lead = (reply: FastifyReply, location: string): FastifyReply =>
  reply
    .code(303)
    .headers({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer', Location: locationOf(location) })
    .send();
