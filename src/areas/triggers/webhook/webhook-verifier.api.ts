import { Injectable } from '@nestjs/common';
import { Metrics } from '../../../engine/health/metrics.js';
import { RecordedSecrets } from '../../../engine/records/recorded-secrets.js';
import { Clock } from '../../../ports/clock.port.js';
import { refuse } from '../triggers.refusals.js';
import type { Delivery } from './delivery.api.js';
import { judge } from './delivery-verdict.js';
import { type Webhook, webhooks } from './webhook.record.js';
import { signingKeyOf } from './webhook-secret.js';
import { lasting, secretIdsOf } from './webhook-verification.js';

/** Admits only deliveries that are signed as their webhook requires, before any other work is done for them. */
@Injectable()
export class WebhookVerifier {
  constructor(
    private readonly recorded: RecordedSecrets,
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
    const keys = await this.signingKeys(webhook);
    const verdict = judge(signature, keys, delivery, this.clock.now());
    if (!verdict.verified) {
      this.metrics.deliveryRefused(signature.scheme, verdict.why);
      return refuse('delivery-not-verified');
    }
    // GitHub does not sign an id. Its unsigned id stays the same on redelivery, but anyone who has seen a delivery can
    // alter it.
    return verdict.key ?? (signature.scheme === 'github' ? first(headers['x-github-delivery']) : undefined) ?? said;
  }

  /** The keys that deliveries may be signed with now, the current one first. */
  private async signingKeys({ workspaceId, verification }: Webhook): Promise<readonly Uint8Array[]> {
    const held = lasting(verification, this.clock.now());
    if (held === null) return [];
    const secrets = await Promise.all(
      secretIdsOf(held).map((secretId) => this.recorded.open(webhooks, workspaceId, secretId)),
    );
    return secrets.flatMap((secret) => {
      const key = secret === undefined ? undefined : signingKeyOf(held.signature.scheme, secret);
      return key === undefined ? [] : [key];
    });
  }
}

const first = (header: string | readonly string[] | undefined) => (typeof header === 'object' ? header[0] : header);
