import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { AppUser } from '../../areas/app-users/app-user/app-user.record.js';
import { SitePasses, type SiteVisitor } from '../../areas/app-users/site-pass/site-passes.api.js';
import type { PageReader } from '../../areas/sites/page/page-readers.api.js';
import type { SiteHost } from '../../areas/sites/project/addresses/site-hosts.api.js';
import type { Project } from '../../areas/sites/project/project.record.js';
import { Environment } from '../../config/environment.js';
import type { Caller } from '../../kernel/callers/caller.js';
import { Clock } from '../../ports/clock.port.js';
import { visitorBodies } from '../body.js';
import { addressOf } from '../entrance/address-of.js';
import { Callers } from '../entrance/callers.js';
import { type Admission, Door } from '../entrance/door.js';
import { RequestHosts } from '../hosts/request-hosts.js';
import { refuse } from '../http.refusals.js';
import { MemberSessions } from './member-sessions.js';
import { SiteCookie } from './site-cookie.js';

export interface SiteVisit extends Admission {
  readonly host: SiteHost;
  readonly project: Project;
  readonly reader: PageReader;
  /** Personal data of the user is decrypted. */
  readonly user: AppUser | undefined;
  /** Expiry of the session, in milliseconds since 1970. Undefined if there is no session. */
  readonly until: number | undefined;
  readonly member: Caller | undefined;
  readonly address: string;
  readonly path: string;
  /** Begins with a question mark, or is empty. */
  readonly query: string;
}

@Injectable()
export class SiteDoor extends Door<SiteVisit> {
  constructor(
    private readonly hosts: RequestHosts,
    private readonly passes: SitePasses,
    private readonly cookie: SiteCookie,
    private readonly members: MemberSessions,
    private readonly callers: Callers,
    private readonly clock: Clock,
    private readonly environment: Environment,
  ) {
    super();
  }

  protected override async judge(request: FastifyRequest): Promise<SiteVisit> {
    const { method, originalUrl, headers } = request;
    const [path = '', ...rest] = originalUrl.split('?');
    const host = this.hosts.siteOf(request) ?? refuse('unknown-path', { path });
    const { project } = host;
    const address = addressOf(request, this.environment);
    this.callers.mayVisit(project.id, address);
    if (!/^(?:GET|HEAD|POST)$/.test(method)) refuse('method-not-allowed', { method, allow }, { allow });
    const sent = this.cookie.tokenIn(headers.cookie);
    const member = host.kind === 'site' ? undefined : await this.members.find(headers.cookie, host);
    const { visitor, user, until } = await this.visitorOf(project, sent);
    return {
      host,
      project,
      // A member who is also signed in as a user of the site sees what that user sees.
      reader: { visitor, isOwner: member !== undefined && user === undefined },
      user,
      until,
      member,
      address,
      path,
      query: rest.length === 0 ? '' : `?${rest.join('?')}`,
      share: { of: 'visitor', name: `${project.id} ${address}` },
      limit: method === 'POST' ? visitorBodies.small : 0,
    };
  }

  /** Without a session, which is the usual case, nothing has to be read. */
  private async visitorOf({ workspaceId, id: projectId }: Project, pass: string | undefined): Promise<SiteVisitor> {
    if (pass !== undefined) return this.passes.visitorOf(workspaceId, projectId, pass, true);
    return { workspaceId, projectId, visitor: { now: this.clock.now(), throughSite: true } };
  }
}

const allow = 'GET, HEAD';
