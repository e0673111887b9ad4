import { Vault } from '../../../ports/vault.port.js';
import { TriggerDeletion, type TriggerEnding } from '../trigger-deletion.api.js';
import { deleteWebhook } from './webhook.js';
import { type Webhook, type WebhookEvent, webhooks, webhookTokenName } from './webhook.record.js';

/** Webhooks end together with their tokens. */
export const webhookEnding = (vault: Vault): TriggerEnding<Webhook, WebhookEvent> => ({
  kind: webhooks,
  delete: deleteWebhook,
  before: ({ workspaceId, id }) => vault.destroy(webhookTokenName(workspaceId, id)),
});

export const webhooksEndWithTargets = {
  provide: Symbol('End with their targets: webhook'),
  inject: [TriggerDeletion, Vault],
  useFactory: (deletion: TriggerDeletion, vault: Vault) => deletion.register(webhookEnding(vault)),
};
