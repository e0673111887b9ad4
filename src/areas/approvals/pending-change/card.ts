import type { CardActor, PendingChangeCard, ProposedDifference } from '../../../engine/pending-changes.js';
import type { Actor } from '../../../kernel/event.js';
import { isOver } from './pending-change.js';
import type { PendingChange } from './pending-change.record.js';

/** A change that is approved but not yet applied is still shown as pending. */
export function cardOf(change: PendingChange, now: number): PendingChangeCard {
  const { id, kind, summary, target, approver, createdAt, expiresAt, hash } = change;
  const open = change.status === 'pending' || change.status === 'approved';
  const status = open ? (change.status === 'pending' && isOver(change, now) ? 'expired' : 'pending') : change.status;
  return {
    id,
    kind,
    summary,
    target,
    changes: change.changes as unknown as readonly ProposedDifference[],
    requestedBy: shown(change.requestedBy),
    approver,
    status: status as PendingChangeCard['status'],
    createdAt,
    expiresAt,
    hash,
    ...(open ? {} : ending(change)),
  };
}

function ending({ decidedBy, decidedAt, reason }: PendingChange) {
  return {
    ...(decidedBy === null || decidedAt === null ? {} : { decidedBy: shown(decidedBy), decidedAt }),
    ...(reason === null ? {} : { reason }),
  };
}

const shown = ({ kind, id, name, personBehind, makers }: Actor): CardActor => ({
  kind,
  id,
  name,
  ...(personBehind === undefined ? {} : { personBehind }),
  ...(makers === undefined ? {} : { makers }),
});
