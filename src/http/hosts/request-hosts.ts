import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type SiteHost, SiteHosts } from '../../areas/sites/project/addresses/site-hosts.api.js';
import { Environment } from '../../config/environment.js';
import { hostOf } from '../../kernel/text/host-name.js';
import { OpenDoor } from '../open-door.js';
import { sendPlainPage } from '../site/plain-page.js';
import { type Named, requestHost } from './request-host.js';
import { hostsProject, isUnderAnyHost, routeOf } from './site-route.js';

const loopback = ['localhost', '127.0.0.1', '::1'];

/**
 * Requests for a host that is not the service's own can reach only routes of sites. This prevents DNS rebinding: a
 * foreign page whose name resolves to this machine cannot use the service.
 */
@Injectable()
export class RequestHosts {
  private readonly own: ReadonlySet<string>;
  private readonly foreign = new WeakMap<IncomingMessage, Named>();
  private readonly sites = new WeakMap<FastifyRequest, SiteHost>();

  constructor(
    environment: Environment,
    private readonly hosts: SiteHosts,
    private readonly openDoor: OpenDoor,
  ) {
    const { baseUrl } = environment;
    this.own = new Set([...loopback, hostOf(new URL(baseUrl)) ?? '']);
  }

  /**
   * Returns the path that the router uses for the request. Must be called exactly once per request, before the router.
   */
  routeOf(raw: IncomingMessage): string {
    const url = raw.url ?? '/';
    if (isUnderAnyHost(url)) return url;
    const named = requestHost(raw);
    if (named.name !== undefined && this.own.has(named.name)) return url;
    this.foreign.set(raw, named);
    return routeOf(url);
  }

  /** Must be called before the hooks of `Entrance` and all routes are added. */
  watch(fastify: FastifyInstance): this {
    fastify.addHook('onRequest', (request, reply, done) => {
      const named = this.foreign.get(request.raw);
      return named === undefined ? done() : this.judge(named, request, reply);
    });
    return this;
  }

  /** Returns undefined if the request is for the service itself, or for a path that is served under any host. */
  siteOf(request: FastifyRequest): SiteHost | undefined {
    return this.sites.get(request);
  }

  private async judge(named: Named, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    if (named.wrong === 'missing') return sendPlainPage(reply, 'bad-request');
    this.openDoor.mustBeOpen();
    const host = named.name === undefined ? undefined : await this.hosts.find(named.name);
    if (host === undefined) return sendPlainPage(reply, 'not-found');
    this.sites.set(request, host);
    const params = request.params as Record<string, string>;
    if (params['projectId'] === hostsProject) params['projectId'] = host.project.id;
    return undefined;
  }
}
