import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { DeliveryHeaders } from '../../areas/triggers/webhook/delivery.api.js';
import { headerOf } from '../header-of.js';
import { RequestHosts } from '../hosts/request-hosts.js';
import { withoutOwnCookies } from '../pages/page-cookie.js';
import { SiteCookie } from '../site/site-cookie.js';
import { mustNotBeOthers, sentBy } from '../site/site-origin.js';

const header = 'x-site-session';
/** Clients that cannot set headers send the session in the list of WebSocket subprotocols. */
const asSubprotocol = /(?:^|,)\s*session\.([A-Za-z0-9_-]{1,100})\s*(?:,|$)/;

export interface SentSession {
  /** May be invalid or expired. */
  readonly pass: string | undefined;
  readonly isOnSite: boolean;
}

@Injectable()
export class SiteSessions {
  constructor(
    private readonly hosts: RequestHosts,
    private readonly cookie: SiteCookie,
  ) {}

  /** @throws Refusal origin-not-own */
  sessionOf(request: FastifyRequest): SentSession {
    const sent = headerOf(request, header) ?? offeredIn(request);
    if (this.hosts.siteOf(request) === undefined) return { pass: sent, isOnSite: false };
    const isOnSite = sentBy(request) === 'own';
    if (sent !== undefined) return { pass: sent, isOnSite };
    const pass = this.cookie.tokenIn(request.headers.cookie);
    if (pass !== undefined) mustNotBeOthers(request);
    return { pass, isOnSite };
  }
}

/**
 * Removes all sessions, because functions receive these headers and must not be able to act as the visitor or member.
 */
export function withoutSessions({ [header]: _, cookie = '', ...headers }: DeliveryHeaders): DeliveryHeaders {
  const left = withoutOwnCookies(typeof cookie === 'object' ? cookie.join('; ') : cookie);
  return left === undefined ? headers : { ...headers, cookie: left };
}

function offeredIn(request: FastifyRequest): string | undefined {
  const offered = request.headers.upgrade === undefined ? undefined : headerOf(request, 'sec-websocket-protocol');
  return offered === undefined ? undefined : asSubprotocol.exec(offered)?.[1];
}
