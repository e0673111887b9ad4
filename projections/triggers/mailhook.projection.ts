import { mailhooks } from '../../src/areas/triggers/mailhook/mailhook.record.js';
import { recordsProjection } from '../../src/kernel/record.js';

export const mailhooksProjection = recordsProjection('mailhooks', 2, mailhooks, [
  { fields: ['addressHash'], unique: true },
  { fields: ['workspaceId', 'createdAt'] },
  { fields: ['targetRef'] },
]);
