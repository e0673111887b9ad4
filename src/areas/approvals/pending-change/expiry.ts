import { due } from '../../../engine/due/due.js';
import { systemActor } from '../../../engine/operation/calls.js';
import { expire } from './pending-change.js';
import { pendingChanges } from './pending-change.record.js';

/**
 * Records the expiry of cards (pending changes). An expired card cannot be approved even before its expiry is recorded.
 */
export const cardExpiry = due({
  name: 'pending-change-expiry',
  record: pendingChanges,
  where: { status: 'pending' },
  field: 'expiresAt',
  everyMs: 60_000,
  call: (calls, { workspaceId, id, position, correlationId }) =>
    calls.derived({
      workspaceId,
      actor: systemActor('pending-change-expiry'),
      operation: 'approvals/expire',
      from: `${id}/expires`,
      correlationId,
      causationId: null,
      notBefore: position,
    }),
  decide: expire,
});
