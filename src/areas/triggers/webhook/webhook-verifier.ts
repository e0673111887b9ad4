import { Injectable } from '@nestjs/common';
import { Metrics } from '../../../engine/metrics.js';
import { refuse } from '../../../kernel/refusal.js';
import { Clock } from '../../../ports/clock.port.js';
import { type Delivery, judge } from './delivery-verdict.js';
import type { Webhook } from './webhook.record.js';
import { WebhookSecrets } from './webhook-secrets.js';

/** Lets in what is signed as its webhook asks, before anything is done for it. */
@Injectable()
export class WebhookVerifier {
  constructor(
    private readonly secrets: WebhookSecrets,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Answers what names the delivery, by which it is known when it comes again: what the sender signed of it or, where
   * nothing signed does, what it says beside.
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
    // GitHub signs no id. Its own is the same when it delivers again, but whoever has seen a delivery can change it.
    return verdict.key ?? (signature.scheme === 'github' ? first(headers['x-github-delivery']) : undefined) ?? said;
  }
}

const first = (header: string | readonly string[] | undefined) => (typeof header === 'object' ? header[0] : header);
