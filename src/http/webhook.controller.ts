import { All, Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { refuse } from '../kernel/refusal.js';
import { noBody } from './body.js';
import { WebhookIngress } from './webhook-ingress.js';

type Delivery = FastifyRequest<{ Params: { token: string }; Body: Buffer | undefined }>;

/** Where the world's webhooks come in. Nothing here logs the address: it is a password. */
@Controller('api/automations/functions/webhook/:token')
export class WebhookController {
  constructor(private readonly ingress: WebhookIngress) {}

  @All()
  async receive(@Req() request: Delivery, @Res() reply: FastifyReply): Promise<void> {
    if (request.method !== 'POST') {
      refuse('method-not-allowed', { method: request.method, allow: 'POST' }, { allow: 'POST' });
    }
    const { url, headers, body = noBody } = request;
    const answer = await this.ingress.receive(request.params.token, {
      headers,
      body,
      url,
      async: /(^|[,\s])respond-async([,;\s]|$)/i.test(first(headers['prefer']) ?? ''),
    });
    reply
      .code(answer.status)
      .header('X-Run-Id', answer.runId)
      .header('Cache-Control', 'no-store')
      .headers(answer.status === 202 ? { 'Preference-Applied': 'respond-async' } : {})
      .type('application/json')
      .send(JSON.stringify(answer.body));
  }
}

const first = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header);
