import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { DeliveryHeaders } from '../../areas/triggers/webhook/delivery.api.js';
import { headerOf } from '../header-of.js';
import { RequestHosts } from '../hosts/request-hosts.js';
import { SiteCookie } from '../site/site-cookie.js';
import { mustNotBeOthers, sentBy } from '../site/site-origin.js';

const header = 'x-site-session';
/** Session among the offered subprotocols, for clients that cannot set headers when they open a WebSocket. */
const asSubprotocol = /(?:^|,)\s*session\.([A-Za-z0-9_-]{1,100})\s*(?:,|$)/;

export interface SentSession {
  /** Session token as sent, which may have expired. Undefined if there is none. */
  readonly pass: string | undefined;
  /** Whether a page of the site itself sent the request. */
  readonly isOnSite: boolean;
}

/** Reads the site sessions in requests: from a header and, on the site's own host, also from its cookie. */
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

  /** Returns the headers of a request that code may see, without the session, because code must not act with it. */
  without({ [header]: _, cookie, ...headers }: DeliveryHeaders): DeliveryHeaders {
    const left = this.cookie.leftOf(typeof cookie === 'object' ? cookie.join('; ') : cookie);
    return left === undefined ? headers : { ...headers, cookie: left };
  }
}

function offeredIn(request: FastifyRequest): string | undefined {
  const offered = request.headers.upgrade === undefined ? undefined : headerOf(request, 'sec-websocket-protocol');
  return offered === undefined ? undefined : asSubprotocol.exec(offered)?.[1];
}
