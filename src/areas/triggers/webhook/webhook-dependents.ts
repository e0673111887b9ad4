import { Dependents, dependentsOf } from '../../../engine/ownership/dependents.js';
import { Vault } from '../../../ports/vault.port.js';
import { goneReason } from '../gone-reason.js';
import { deleteWebhook } from './webhook.js';
import { webhooks, webhookTokenName } from './webhook.record.js';

/** Each webhook's token is destroyed before the webhook is deleted. */
export const webhookDependents = (vault: Vault) =>
  dependentsOf(webhooks, (webhook, target) => deleteWebhook(webhook, goneReason(target)), {
    before: ({ workspaceId, id }) => vault.destroy(webhookTokenName(workspaceId, id)),
  });

export const webhooksEndWithTargets = {
  provide: Symbol('Webhooks end with their targets'),
  inject: [Dependents, Vault],
  useFactory: (all: Dependents, vault: Vault) => {
    for (const dependent of webhookDependents(vault)) all.register(dependent);
  },
};
