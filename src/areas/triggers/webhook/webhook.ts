import type { Target } from '../../../kernel/callers/target.js';
import { activation } from '../../../kernel/record/activation.js';
import type { Webhook, WebhookEvent } from './webhook.record.js';
import { secretIdsOf } from './webhook-verification.js';

export function createWebhook(target: Target, tokenHash: string): readonly WebhookEvent[] {
  return [{ type: 'WebhookCreated', data: { targetKind: target.kind, targetRef: target.ref, tokenHash } }];
}

export const switchWebhook = activation('WebhookActivated', 'WebhookDeactivated');

/** The event contains the ids of the webhook's secrets, so that these are destroyed. */
export function deleteWebhook(
  { verification }: Pick<Webhook, 'verification'>,
  reason: 'asked' | 'function-deleted' | 'target-gone',
): readonly WebhookEvent[] {
  return [{ type: 'WebhookDeleted', data: { reason, drops: secretIdsOf(verification) } }];
}
