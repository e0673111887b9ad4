import type { PendingChangeCard, ProposedDifference } from '../../../engine/approvals/pending-changes.js';
import { findOperation, type RegisteredOperation } from '../../../engine/operation/operation.js';
import { showsAs } from '../../../engine/records/record-views.js';
import { shownActor } from '../card-actor.js';
import { isExpired } from './pending-change.js';
import { type PendingChange, pendingChanges } from './pending-change.record.js';

/** `cardOf` gets the time 0, so that the audit does not show a card as expired merely because time has passed. */
showsAs(pendingChanges, (change) => cardOf(change, 0));

/**
 * An approved change that is not applied yet is shown as pending. A pending change whose time is over is shown as
 * expired, even if its expiry has not been recorded.
 */
export function cardOf(change: PendingChange, now: number): PendingChangeCard {
  const { id, kind, summary, target, approver, createdAt, expiresAt, hash } = change;
  const { requestReason, replaces, alsoRequestedBy } = change;
  const open = change.status === 'pending' || change.status === 'approved';
  const status = open ? (change.status === 'pending' && isExpired(change, now) ? 'expired' : 'pending') : change.status;
  return {
    id,
    kind,
    summary,
    target,
    changes: change.changes as unknown as readonly ProposedDifference[],
    requestedBy: shownActor(change.requestedBy),
    ...(alsoRequestedBy === undefined ? {} : { alsoRequestedBy: alsoRequestedBy.map(shownActor) }),
    ...(requestReason === undefined ? {} : { requestReason }),
    approver,
    status: status as PendingChangeCard['status'],
    createdAt,
    expiresAt,
    hash,
    ...(replaces === undefined ? {} : { replaces }),
    ...(open ? {} : ending(change)),
  };
}

function ending({ decidedBy, decidedAt, reason, replacedBy }: PendingChange) {
  return {
    ...(replacedBy === undefined ? {} : { replacedBy }),
    ...(decidedBy === null || decidedAt === null ? {} : { decidedBy: shownActor(decidedBy), decidedAt }),
    ...(reason === null ? {} : { reason }),
  };
}

export const askedOperation = ({ kind }: Pick<PendingChange, 'kind'>): RegisteredOperation | undefined =>
  findOperation(kind);
