import { Injectable } from '@nestjs/common';
import { Metrics } from '../../../engine/metrics.js';
import { refuse } from '../../../kernel/refusal.js';
import { Clock } from '../../../ports/clock.port.js';
import { type Delivery, judge } from './delivery-verdict.js';
import type { Webhook } from './webhook.record.js';
import { WebhookSecrets } from './webhook-secrets.js';

/** Admits only deliveries that are signed as their webhook requires, before any other work is done for them. */
@Injectable()
export class WebhookVerifier {
  constructor(
    private readonly secrets: WebhookSecrets,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Answers the key by which a redelivery is recognised: the signed part of the delivery or, if no signed part
   * identifies it, the id in an unsigned header.
   * @throws Refusal delivery-not-verified, which does not say why
   */
  async keyOf(webhook: Webhook, delivery: Delivery): Promise<string | undefined> {
    const { headers } = delivery;
    const said = first(headers['idempotency-key']) ?? first(headers['webhook-id']);
    if (webhook.verification === null) return said;
    const { signature } = webhook.verification;
    const keys = await this.secrets.signingKeys(webhook);
    const verdict = judge(signature, keys, delivery, this.clock.now());
    if (!verdict.verified) {
      this.metrics.deliveryRefused(signature.scheme, verdict.why);
      return refuse('delivery-not-verified');
    }
    // GitHub does not sign an id. Its unsigned id stays the same on redelivery, but anyone who has seen a delivery can
    // alter it.
    return verdict.key ?? (signature.scheme === 'github' ? first(headers['x-github-delivery']) : undefined) ?? said;
  }
}

const first = (header: string | readonly string[] | undefined) => (typeof header === 'object' ? header[0] : header);
