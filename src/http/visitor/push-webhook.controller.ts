import { Controller, Injectable, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Project, projects } from '../../areas/sites/project/project.record.js';
import { PushDeliveries, type PushWebhook } from '../../areas/sites/source-control/push-deliveries.api.js';
import { Environment } from '../../config/environment.js';
import { ReadStore } from '../../ports/read-store.port.js';
import { mustUse } from '../allowed-methods.js';
import { bodyLimit, noBody } from '../body.js';
import { addressOf } from '../entrance/address-of.js';
import { Callers } from '../entrance/callers.js';
import { type Admission, Door } from '../entrance/door.js';
import { headerOf } from '../header-of.js';
import { Visits } from './visitor-route.js';

interface Delivery extends Admission {
  readonly webhook: PushWebhook;
}

/** Checks the secret token in the URL. The signature covers the body, so it is checked after the body was received. */
@Injectable()
export class PushWebhookDoor extends Door<Delivery> {
  constructor(
    private readonly store: ReadStore,
    private readonly deliveries: PushDeliveries,
    private readonly callers: Callers,
    private readonly environment: Environment,
  ) {
    super();
  }

  protected override async judge(request: FastifyRequest): Promise<Delivery> {
    mustUse(request, 'POST');
    const { projectId, token } = request.params as { readonly projectId: string; readonly token: string };
    this.callers.mayVisit(projectId, `push ${addressOf(request, this.environment)}`);
    const project = (await this.store.get<Project>('projects', projectId)) ?? projects.missing();
    const webhook = await this.deliveries.find(project.workspaceId, projectId, token);
    return { webhook, share: { of: 'stranger', name: `push ${projectId}` }, limit: bodyLimit };
  }
}

/** The URL contains a secret, so it must never be logged. */
@Controller('api/app/:projectId')
export class PushWebhookController {
  constructor(
    private readonly door: PushWebhookDoor,
    private readonly deliveries: PushDeliveries,
  ) {}

  @Visits(PushWebhookDoor, {
    method: 'POST',
    path: 'source-control/push/:token',
    id: 'receivePush',
    tag: 'source-control',
    summary: 'Receives a signed report of a push from the git host, and pulls the changes.',
    headers: {
      'X-Hub-Signature-256': 'Signature of the git host over the body.',
      'X-GitHub-Event': 'Only push has an effect.',
    },
    body: 'bytes',
    answers: { fields: { received: { type: 'boolean', description: 'Always true.' } } },
    refuses: [
      'git-push-not-verified',
      'git-conflicts',
      'git-uncommitted',
      'git-refused',
      'git-host-refused',
      'git-key-gone',
    ],
  })
  async receive(
    @Req() request: FastifyRequest<{ Body: Buffer | undefined }>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { webhook } = this.door.admittedOf(request);
    await this.deliveries.receive(webhook, request.body ?? noBody, {
      signature: headerOf(request, 'x-hub-signature-256'),
      event: headerOf(request, 'x-github-event'),
    });
    reply.header('Cache-Control', 'no-store').type('application/json').send('{"received":true}');
  }
}
