import { Injectable } from '@nestjs/common';
import { Metrics } from '../../../engine/health/metrics.js';
import { RecordedSecrets } from '../../../engine/records/recorded-secrets.js';
import { Clock } from '../../../ports/clock.port.js';
import { refuse } from '../triggers.refusals.js';
import type { Delivery } from './delivery.api.js';
import { judgeSignature } from './delivery-verdict.js';
import { type Webhook, webhooks } from './webhook.record.js';
import { webhookSigningKey } from './webhook-secret.js';
import { secretIdsOf, withoutExpired } from './webhook-verification.js';

@Injectable()
export class WebhookVerifier {
  constructor(
    private readonly recorded: RecordedSecrets,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Returns a key that is the same for all redeliveries of a delivery. If the signed content does not identify the
   * delivery, an unsigned header is used.
   * @throws Refusal delivery-not-verified, which does not reveal the reason
   */
  async keyOf(webhook: Webhook, delivery: Delivery): Promise<string | undefined> {
    const { headers } = delivery;
    const unsignedId = first(headers['idempotency-key']) ?? first(headers['webhook-id']);
    if (webhook.verification === null) return unsignedId;
    const { signature } = webhook.verification;
    const keys = await this.signingKeys(webhook);
    const verdict = judgeSignature(signature, keys, delivery, this.clock.now());
    if (!verdict.verified) {
      this.metrics.deliveryRefused(signature.scheme, verdict.why);
      return refuse('delivery-not-verified');
    }
    // GitHub's id is the same for redeliveries. It is not signed, so anyone who has seen a delivery can send it again
    // with another id.
    return (
      verdict.key ?? (signature.scheme === 'github' ? first(headers['x-github-delivery']) : undefined) ?? unsignedId
    );
  }

  private async signingKeys({ workspaceId, verification }: Webhook): Promise<readonly Uint8Array[]> {
    const current = withoutExpired(verification, this.clock.now());
    if (current === null) return [];
    const secrets = await Promise.all(
      secretIdsOf(current).map((secretId) => this.recorded.open(webhooks, workspaceId, secretId)),
    );
    return secrets.flatMap((secret) => {
      const key = secret === undefined ? undefined : webhookSigningKey(current.signature.scheme, secret);
      return key === undefined ? [] : [key];
    });
  }
}

/** An empty header identifies nothing. As a key, it would make all deliveries that have it repetitions of the first. */
const first = (header: string | readonly string[] | undefined) =>
  (typeof header === 'object' ? header[0] : header) || undefined;
