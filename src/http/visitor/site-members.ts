import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../kernel/callers/caller.js';
import { RequestHosts } from '../hosts/request-hosts.js';
import { refuse } from '../http.refusals.js';
import { MemberSessions } from '../site/member-sessions.js';
import { mustNotBeOthers } from '../site/site-origin.js';

/** Members who call the visitor API of previews and apps. */
@Injectable()
export class SiteMembers {
  constructor(
    private readonly hosts: RequestHosts,
    private readonly sessions: MemberSessions,
  ) {}

  /**
   * Returns the member. Returns undefined on all other hosts, which anyone may call. @throws Refusal
   * site-entry-required for a preview or an app that the sender has not entered; origin-not-own
   */
  async mustHaveEntered(request: FastifyRequest): Promise<Caller | undefined> {
    const host = this.hosts.of(request);
    if (host === undefined || host.kind === 'site') return undefined;
    mustNotBeOthers(request);
    const member = await this.sessions.find(request.headers.cookie, host);
    return member ?? refuse('site-entry-required');
  }
}
