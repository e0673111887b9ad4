import type { Webhook, WebhookEvent } from './webhook.events.js';

export function createWebhook(functionId: string, tokenHash: string): readonly WebhookEvent[] {
  return [{ type: 'WebhookCreated', data: { functionId, tokenHash } }];
}

/** Automations API, States: isActive as sent; sent as it already is, nothing happens. */
export function switchWebhook(webhook: Webhook, isActive: boolean): readonly WebhookEvent[] {
  if (webhook.isActive === isActive) return [];
  return [{ type: isActive ? 'WebhookActivated' : 'WebhookDeactivated', data: {} }];
}

export function deleteWebhook(reason: 'asked' | 'function-deleted'): readonly WebhookEvent[] {
  return [{ type: 'WebhookDeleted', data: { reason } }];
}
