import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Webhook } from '../areas/triggers/webhook/webhook.record.js';
import { refuse } from '../kernel/refusal.js';
import { deliveryLimitOf } from './body.js';
import { Callers } from './entrance/callers.js';
import { type Admission, Door } from './entrance/door.js';
import { WebhookIngress } from './webhook-ingress.js';

interface Delivery extends Admission {
  readonly webhook: Webhook;
}

/** The door to webhooks: the token must belong to an active webhook that is not called too often. */
@Injectable()
export class WebhookDoor extends Door<Delivery> {
  constructor(
    private readonly ingress: WebhookIngress,
    private readonly callers: Callers,
  ) {
    super();
  }

  protected override async judge({ method, params, headers }: FastifyRequest): Promise<Delivery> {
    if (method !== 'POST') refuse('method-not-allowed', { method, allow: 'POST' }, { allow: 'POST' });
    const webhook = await this.ingress.webhookOf((params as { readonly token: string }).token);
    this.callers.mayDeliver(webhook);
    const share = { of: 'stranger', name: `webhook ${webhook.id}` } as const;
    return { webhook, share, limit: deliveryLimitOf(headers['content-type']) };
  }
}
