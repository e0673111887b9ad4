import { All, Controller, Injectable, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Unsubscribing } from '../../areas/campaigns/suppression/unsubscribing.api.js';
import type { Project } from '../../areas/sites/project/project.record.js';
import { Environment } from '../../config/environment.js';
import { ReadYourWrites } from '../../engine/read-models/read-your-writes.js';
import { Refusal } from '../../kernel/refusals/refusal.js';
import { ReadStore } from '../../ports/read-store.port.js';
import { mustUse } from '../allowed-methods.js';
import { visitorBodies } from '../body.js';
import { addressOf } from '../entrance/address-of.js';
import { Callers } from '../entrance/callers.js';
import { type Admission, Door, Through } from '../entrance/door.js';
import { type Html, html } from '../pages/html.js';
import { headersOf, platformDocument } from '../site/platform-pages/platform-document.js';

interface Unsubscriber extends Admission {
  /** Undefined if the project does not exist. The response is then the same as for an invalid link. */
  readonly project: Project | undefined;
}

/** Mail services also send requests to unsubscribe on behalf of readers, so no cookie or Origin is required. */
@Injectable()
export class UnsubscribeDoor extends Door<Unsubscriber> {
  constructor(
    private readonly store: ReadStore,
    private readonly callers: Callers,
    private readonly environment: Environment,
  ) {
    super();
  }

  protected override async judge(request: FastifyRequest): Promise<Unsubscriber> {
    mustUse(request, 'GET', 'HEAD', 'POST');
    const { projectId } = request.params as { readonly projectId: string };
    const address = addressOf(request, this.environment);
    this.callers.mayVisit(projectId, address);
    const project = await this.store.get<Project>('projects', projectId);
    const limit = request.method === 'POST' ? visitorBodies.small : 0;
    return { project, share: { of: 'visitor', name: `${projectId} ${address}` }, limit };
  }
}

/**
 * A GET only asks for confirmation, because mail scanners follow links. A POST comes from the page's form or from a
 * mail service (one-click unsubscribe, RFC 8058). The URL contains a secret, so it must never be logged.
 */
@Controller('api/app/:projectId')
export class UnsubscribeController {
  constructor(
    private readonly door: UnsubscribeDoor,
    private readonly unsubscribing: Unsubscribing,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  @All('email/unsubscribe/:token')
  @Through(UnsubscribeDoor)
  async answer(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { project } = this.door.admittedOf(request);
    const { token } = request.params as { readonly token: string };
    if (project === undefined) return send(reply, 404, '', unknown);
    const { name } = project;
    try {
      if (request.method !== 'POST') {
        this.unsubscribing.read(project, token);
        return send(reply, 200, name, asking);
      }
      await this.readYourWrites.waitForOwnWrites(() => this.unsubscribing.unsubscribe(project, token));
      return send(reply, 200, name, done);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'unsubscribe-link-invalid') throw error;
      return send(reply, 404, '', unknown);
    }
  }
}

const asking = html`<h1>Unsubscribe</h1>
<p>You will receive no more mailings from this site. You will still receive mail about your account and purchases.</p>
<form method="post"><button type="submit">Unsubscribe</button></form>`;

const done = html`<h1>You are unsubscribed</h1>
<p>Mailings from this site will no longer be sent to this address.</p>`;

const unknown = html`<h1>This link does not work</h1>
<p>Open the complete link from the mail again, or reply to the mail to be removed from the list.</p>`;

function send(reply: FastifyReply, status: number, siteName: string, content: Html): void {
  reply
    .code(status)
    .headers(headersOf({}))
    .type('text/html; charset=utf-8')
    .send(platformDocument(siteName, undefined, { title: 'Unsubscribe', content }));
}
