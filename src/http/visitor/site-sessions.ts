import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { DeliveryHeaders } from '../../areas/triggers/webhook/delivery.api.js';
import { headerOf } from '../header-of.js';
import { RequestHosts } from '../hosts/request-hosts.js';
import { SiteCookie } from '../site/site-cookie.js';
import { mustNotBeOthers, sentBy } from '../site/site-origin.js';

const header = 'x-site-session';
/** How clients that cannot set headers send it when they ask for a WebSocket: among the subprotocols. */
const asSubprotocol = /(?:^|,)\s*session\.([A-Za-z0-9_-]{1,100})\s*(?:,|$)/;

export interface SentSession {
  /** As it was sent, and it may have ended. Undefined: none. */
  readonly pass: string | undefined;
  /** A page of the site itself sent the request. */
  readonly isOnSite: boolean;
}

/** The sessions of sites that requests carry: in a header, and on the site's own host also in its cookie. */
@Injectable()
export class SiteSessions {
  constructor(
    private readonly hosts: RequestHosts,
    private readonly cookie: SiteCookie,
  ) {}

  /** @throws Refusal origin-not-own */
  of(request: FastifyRequest): SentSession {
    const sent = headerOf(request, header) ?? offeredIn(request);
    if (this.hosts.of(request) === undefined) return { pass: sent, isOnSite: false };
    const isOnSite = sentBy(request) === 'own';
    if (sent !== undefined) return { pass: sent, isOnSite };
    const pass = this.cookie.in(request.headers.cookie);
    if (pass !== undefined) mustNotBeOthers(request);
    return { pass, isOnSite };
  }

  /** What code may see of a request's headers: it must not go on to act with the visitor's session. */
  without({ [header]: _, cookie, ...headers }: DeliveryHeaders): DeliveryHeaders {
    const left = this.cookie.leftOf(typeof cookie === 'object' ? cookie.join('; ') : cookie);
    return left === undefined ? headers : { ...headers, cookie: left };
  }
}

function offeredIn(request: FastifyRequest): string | undefined {
  const offered = request.headers.upgrade === undefined ? undefined : headerOf(request, 'sec-websocket-protocol');
  return offered === undefined ? undefined : asSubprotocol.exec(offered)?.[1];
}
