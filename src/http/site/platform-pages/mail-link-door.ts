import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Project, projects } from '../../../areas/sites/project/project.record.js';
import { Environment } from '../../../config/environment.js';
import { ReadStore } from '../../../ports/read-store.port.js';
import { mustUse } from '../../allowed-methods.js';
import { visitorBodies } from '../../body.js';
import { addressOf } from '../../entrance/address-of.js';
import { Callers } from '../../entrance/callers.js';
import { type Admission, Door } from '../../entrance/door.js';
import { RequestHosts } from '../../hosts/request-hosts.js';
import { refuse } from '../../http.refusals.js';

export interface MailLinkVisit extends Admission {
  readonly project: Project;
  readonly address: string;
}

/**
 * Admits visitors who follow a link in a mail of an unpublished site. These links lead to sign-in pages on the
 * service's own host.
 */
@Injectable()
export class MailLinkDoor extends Door<MailLinkVisit> {
  constructor(
    private readonly store: ReadStore,
    private readonly callers: Callers,
    private readonly hosts: RequestHosts,
    private readonly environment: Environment,
  ) {
    super();
  }

  protected override async judge(request: FastifyRequest): Promise<MailLinkVisit> {
    const { method, originalUrl } = request;
    if (this.hosts.siteOf(request) !== undefined) refuse('unknown-path', { path: originalUrl.split('?', 1)[0] ?? '' });
    mustUse(request, 'GET', 'HEAD', 'POST');
    const { projectId } = request.params as { readonly projectId: string };
    const address = addressOf(request, this.environment);
    this.callers.mayVisit(projectId, address);
    const project = (await this.store.get<Project>('projects', projectId)) ?? projects.missing();
    const limit = method === 'POST' ? visitorBodies.small : 0;
    return { project, address, share: { of: 'visitor', name: `${projectId} ${address}` }, limit };
  }
}
