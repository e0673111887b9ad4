import { pendingChanges } from '../../src/areas/approvals/pending-change/pending-change.record.js';
import { recordsProjection } from '../../src/kernel/record.js';

export const pendingChangesProjection = recordsProjection('pendingChanges', 1, pendingChanges, [
  { fields: ['workspaceId', 'status', 'createdAt'] },
  { fields: ['workspaceId', 'createdAt'] },
  { fields: ['targetId', 'kind', 'status'] },
  { fields: ['status', 'expiresAt'] },
]);
