import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Project } from '../../areas/sites/project/project.record.js';
import { ReadStore } from '../../ports/read-store.port.js';
import { headerOf } from '../header-of.js';
import { RequestHosts } from '../hosts/request-hosts.js';
import { OpenDoor } from '../open-door.js';

const preflight = {
  'Access-Control-Allow-Methods': 'GET, POST',
  'Access-Control-Allow-Headers': 'Content-Type, X-Site-Session, X-Page-Id',
  'Access-Control-Max-Age': '600',
};

/**
 * CORS for the visitor API: pages of a site's `allowedOrigins` may read its responses. Credentials are not allowed, so
 * such pages cannot use the visitor's cookie, only a session token that they have received (Sites API,
 * updateProjectAuth).
 */
@Injectable()
export class AllowedOrigins {
  constructor(
    private readonly store: ReadStore,
    private readonly hosts: RequestHosts,
    private readonly openDoor: OpenDoor,
  ) {}

  /** Must be called after `RequestHosts.watch` and before `Entrance.watch`. */
  watch(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', (request, reply, done) => {
      const origin = headerOf(request, 'origin');
      return origin === undefined ? done() : this.judge(origin, request, reply);
    });
  }

  private async judge(origin: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    const isVisitors = request.routeOptions.url?.startsWith('/api/app/:projectId/') === true;
    if (!isVisitors || this.hosts.siteOf(request) !== undefined) return undefined;
    this.openDoor.mustBeOpen();
    const { projectId = '' } = request.params as { readonly projectId?: string };
    const project = await this.store.get<Project>('projects', projectId);
    if (project?.allowedOrigins.includes(origin) !== true) return undefined;
    reply.headers({ 'Access-Control-Allow-Origin': origin, Vary: 'Origin' });
    reply.header('Access-Control-Expose-Headers', 'Retry-After, X-Request-Id');
    const isPreflight =
      request.method === 'OPTIONS' && headerOf(request, 'access-control-request-method') !== undefined;
    return isPreflight ? reply.code(204).headers(preflight).send() : undefined;
  }
}
