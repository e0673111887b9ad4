import type { Target } from '../../../kernel/target.js';
import type { Webhook, WebhookEvent } from './webhook.record.js';
import { secretIdsOf } from './webhook-verification.js';

export function createWebhook(target: Target, tokenHash: string): readonly WebhookEvent[] {
  return [{ type: 'WebhookCreated', data: { targetKind: target.kind, targetRef: target.ref, tokenHash } }];
}

/** Automations API, States: isActive as sent; sent as it already is, nothing happens. */
export function switchWebhook(webhook: Webhook, isActive: boolean): readonly WebhookEvent[] {
  if (webhook.isActive === isActive) return [];
  return [{ type: isActive ? 'WebhookActivated' : 'WebhookDeactivated', data: {} }];
}

/** Counts for what comes in from then on. */
export function switchReplay(webhook: Webhook, keepInput: boolean): readonly WebhookEvent[] {
  return webhook.keepInput === keepInput ? [] : [{ type: 'WebhookReplaySwitched', data: { keepInput } }];
}

/** Its secrets go with it. */
export function deleteWebhook(
  { verification }: Pick<Webhook, 'verification'>,
  reason: 'asked' | 'function-deleted' | 'target-gone',
): readonly WebhookEvent[] {
  return [{ type: 'WebhookDeleted', data: { reason, drops: secretIdsOf(verification) } }];
}
