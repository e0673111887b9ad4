import { accountFunctions } from '../../src/areas/functions/function/function.record.js';
import { webhooks } from '../../src/areas/triggers/webhook/webhook.record.js';
import { recordsProjection } from '../../src/kernel/record.js';

export const functionsProjection = recordsProjection('functions', 2, accountFunctions, [
  { fields: ['workspaceId', 'createdAt'] },
  { fields: ['workspaceId', 'name'] },
]);

export const webhooksProjection = recordsProjection('webhooks', 3, webhooks, [
  { fields: ['tokenHash'], unique: true },
  { fields: ['workspaceId', 'createdAt'] },
  { fields: ['targetRef'] },
]);
