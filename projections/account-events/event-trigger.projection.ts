import { eventTriggers } from '../../src/areas/account-events/event-trigger/event-trigger.record.js';
import { recordsProjection } from '../../src/kernel/record.js';

export const eventTriggersProjection = recordsProjection('eventTriggers', 1, eventTriggers, [
  { fields: ['workspaceId', 'createdAt'] },
  { fields: ['workspaceId', 'targetRef', 'createdAt'] },
]);
