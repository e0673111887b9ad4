import { mailhooks } from '../../src/areas/automations/mailhook/mailhook.events.js';
import { recordsProjection } from '../../src/kernel/record.js';

export const mailhooksProjection = recordsProjection('mailhooks', 2, mailhooks, [
  { fields: ['addressHash'], unique: true },
  { fields: ['workspaceId', 'createdAt'] },
  { fields: ['targetRef'] },
]);
