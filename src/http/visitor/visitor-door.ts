import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { SitePasses, type SiteVisitor } from '../../areas/app-users/site-pass/site-passes.api.js';
import { type Project, projects } from '../../areas/sites/project/project.record.js';
import { Environment } from '../../config/environment.js';
import { ReadStore } from '../../ports/read-store.port.js';
import { mustUse } from '../allowed-methods.js';
import { bodyLimit } from '../body.js';
import { addressOf } from '../entrance/address-of.js';
import { Callers } from '../entrance/callers.js';
import { type Admission, Door, passageOf } from '../entrance/door.js';
import { refuse } from '../http.refusals.js';
import { SiteMembers } from './site-members.js';
import { SiteSessions } from './site-sessions.js';

export interface VisitorRequest extends Admission {
  readonly project: Project;
  readonly visitor: SiteVisitor;
  readonly address: string;
  /** May be invalid or expired. */
  readonly pass: string | undefined;
}

/** The site need not be published. Without a valid session, the sender is a visitor who is not signed in. */
@Injectable()
export class VisitorDoor extends Door<VisitorRequest> {
  protected readonly method: 'GET' | 'POST' = 'POST';

  constructor(
    private readonly store: ReadStore,
    private readonly passes: SitePasses,
    private readonly callers: Callers,
    private readonly sessions: SiteSessions,
    private readonly members: SiteMembers,
    private readonly environment: Environment,
  ) {
    super();
  }

  protected override async judge(request: FastifyRequest): Promise<VisitorRequest> {
    mustUse(request, this.method);
    const { projectId } = request.params as { readonly projectId: string };
    const address = addressOf(request, this.environment);
    this.callers.mayVisit(projectId, address);
    if (this.method === 'POST' && !/^application\/json *(;|$)/i.test(request.headers['content-type'] ?? '')) {
      refuse('media-type-not-supported');
    }
    const project = (await this.store.get<Project>('projects', projectId)) ?? projects.missing();
    const { pass, isOnSite } = this.sessions.sessionOf(request);
    const member = await this.members.mustHaveEntered(request);
    const seen = await this.passes.visitorOf(project.workspaceId, projectId, pass, isOnSite);
    // If a member is also signed in as a user of the site, the call is made by that user.
    const isMember = member !== undefined && seen.user === undefined;
    const visitor = isMember ? { ...seen, visitor: { ...seen.visitor, member } } : seen;
    const limit = this.method === 'POST' ? (passageOf(request).limit ?? bodyLimit) : 0;
    return { project, visitor, address, pass, share: { of: 'visitor', name: `${projectId} ${address}` }, limit };
  }
}

@Injectable()
export class VisitorReadDoor extends VisitorDoor {
  protected override readonly method = 'GET';
}
