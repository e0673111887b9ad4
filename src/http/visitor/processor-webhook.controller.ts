import { Controller, Injectable, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ProcessorEvents } from '../../areas/payments/payment/processor-events.api.js';
import { type FoundWebhook, ProcessorWebhooks } from '../../areas/payments/processor/processor-webhooks.api.js';
import { type Project, projects } from '../../areas/sites/project/project.record.js';
import { Environment } from '../../config/environment.js';
import { ReadStore } from '../../ports/read-store.port.js';
import { mustUse } from '../allowed-methods.js';
import { noBody, visitorBodies } from '../body.js';
import { addressOf } from '../entrance/address-of.js';
import { Callers } from '../entrance/callers.js';
import { type Admission, Door } from '../entrance/door.js';
import { headerOf } from '../header-of.js';
import { Visits } from './visitor-route.js';

interface Delivery extends Admission {
  readonly webhook: FoundWebhook;
}

/** Checks the secret token in the URL. The signature covers the body, so it is checked after the body was received. */
@Injectable()
export class ProcessorWebhookDoor extends Door<Delivery> {
  constructor(
    private readonly store: ReadStore,
    private readonly webhooks: ProcessorWebhooks,
    private readonly callers: Callers,
    private readonly environment: Environment,
  ) {
    super();
  }

  protected override async judge(request: FastifyRequest): Promise<Delivery> {
    mustUse(request, 'POST');
    const { params } = request;
    const { projectId, token } = params as { readonly projectId: string; readonly token: string };
    // Calls are limited per client address, so someone who guesses tokens does not use up the limit of the processor's
    // address. The limit of the whole site applies too.
    this.callers.mayVisit(projectId, `processor ${addressOf(request, this.environment)}`);
    const project = (await this.store.get<Project>('projects', projectId)) ?? projects.missing();
    const webhook = await this.webhooks.find(project.workspaceId, projectId, token);
    return { webhook, share: { of: 'stranger', name: `processor ${projectId}` }, limit: visitorBodies.large };
  }
}

/** The URL contains a secret, so it must never be logged. */
@Controller('api/app/:projectId')
export class ProcessorWebhookController {
  constructor(
    private readonly door: ProcessorWebhookDoor,
    private readonly events: ProcessorEvents,
  ) {}

  @Visits(ProcessorWebhookDoor, {
    method: 'POST',
    path: 'payments/processor-webhook/:token',
    id: 'receiveProcessorEvent',
    tag: 'payments',
    summary: 'Receives a signed event of the payment processor.',
    headers: { 'Stripe-Signature': 'Signature of the payment processor over the body.' },
    body: 'bytes',
    answers: { fields: { received: { type: 'boolean', description: 'Always true.' } } },
    refuses: ['processor-event-not-verified', 'processor-event-of-other-mode'],
  })
  async receive(
    @Req() request: FastifyRequest<{ Body: Buffer | undefined }>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { webhook } = this.door.admittedOf(request);
    await this.events.receive(webhook, request.body ?? noBody, headerOf(request, 'stripe-signature'));
    reply.header('Cache-Control', 'no-store').type('application/json').send('{"received":true}');
  }
}
