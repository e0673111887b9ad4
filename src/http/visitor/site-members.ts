import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../kernel/callers/caller.js';
import { RequestHosts } from '../hosts/request-hosts.js';
import { refuse } from '../http.refusals.js';
import { MemberSessions } from '../site/member-sessions.js';
import { mustNotBeOthers } from '../site/site-origin.js';

@Injectable()
export class SiteMembers {
  constructor(
    private readonly hosts: RequestHosts,
    private readonly sessions: MemberSessions,
  ) {}

  /**
   * Returns undefined unless the host serves a preview or an app, because other hosts are open to everyone.
   * @throws Refusal site-entry-required if no member is signed in to the preview or app; origin-not-own
   */
  async mustHaveEntered(request: FastifyRequest): Promise<Caller | undefined> {
    const host = this.hosts.siteOf(request);
    if (host === undefined || host.kind === 'site') return undefined;
    mustNotBeOthers(request);
    const member = await this.sessions.find(request.headers.cookie, host);
    return member ?? refuse('site-entry-required');
  }
}
