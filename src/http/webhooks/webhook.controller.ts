import { All, Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { noBody, webhookPath } from '../body.js';
import { Through } from '../entrance/door.js';
import { headerOf } from '../header-of.js';
import { withoutSessions } from '../visitor/site-sessions.js';
import { WebhookDoor } from './webhook-door.js';
import { type WebhookCall, WebhookIngress } from './webhook-ingress.js';

type Delivery = FastifyRequest<{ Body: Buffer | undefined }>;

/** The URL contains a secret token, so it must never be logged. */
@Controller(webhookPath)
export class WebhookController {
  constructor(
    private readonly ingress: WebhookIngress,
    private readonly door: WebhookDoor,
  ) {}

  @All()
  @Through(WebhookDoor)
  async receive(@Req() request: Delivery, @Res() reply: FastifyReply): Promise<void> {
    const { webhook, visitor } = this.door.admittedOf(request);
    const answer = await this.ingress.receive(webhook, { ...this.contextOf(request), visitor });
    reply
      .code(answer.status)
      .header('X-Run-Id', answer.runId)
      .header('Cache-Control', 'no-store')
      .headers(answer.status === 202 ? { 'Preference-Applied': 'respond-async' } : {})
      .type('application/json')
      .send(JSON.stringify(answer.body));
  }

  /** Removes the body from the request, so the body does not stay in memory during the run. */
  private contextOf(request: Delivery): Omit<WebhookCall, 'visitor'> {
    const { url, headers, body = noBody } = request;
    request.body = undefined;
    return {
      headers: withoutSessions(headers),
      body,
      url,
      async: /(^|[,\s])respond-async([,;\s]|$)/i.test(headerOf(request, 'prefer') ?? ''),
    };
  }
}
