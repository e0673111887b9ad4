import { hash } from 'node:crypto';
import type { Proposal } from '../../../engine/approvals/pending-changes.js';
import type { Caller } from '../../../kernel/callers/caller.js';
import type { Actor } from '../../../kernel/event/event.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { refuse } from '../approvals.refusals.js';
import { mayDecide, mustBeAnother, mustKeepSecrets } from './deciders.api.js';
import type { PendingChange, PendingChangeEvent } from './pending-change.record.js';

const dayMs = 24 * 3_600_000;
/** How long a change waits for approval (settled question Q-G09). */
const pendingForMs = 7 * dayMs;

interface RelatedCards {
  readonly replaced?: Pick<PendingChange, 'id' | 'summary'> | undefined;
  readonly composed?: Pick<PendingChange, 'requestedBy' | 'alsoRequestedBy'> | undefined;
}

export function propose(
  proposal: Proposal,
  now: number,
  { replaced, composed }: RelatedCards = {},
): readonly PendingChangeEvent[] {
  const { kind, summary, target, approver, base, input } = proposal;
  const changes = proposal.changes.map(({ path, from, to }): JsonObject => ({ path, from, to }));
  const expiresAt = new Date(now + pendingForMs).toISOString();
  const proposed = { kind, summary, target, changes, approver, base, input, expiresAt };
  const seen = hash('sha256', JSON.stringify(proposed), 'hex');
  const others = {
    ...(replaced === undefined ? {} : { replaces: { id: replaced.id, summary: replaced.summary } }),
    ...(composed === undefined ? {} : { alsoRequestedBy: requestersOf(composed) }),
  };
  return [{ type: 'PendingChangeProposed', data: { ...proposed, hash: seen, ...others } }];
}

export interface Approval {
  readonly caller: Caller | undefined;
  readonly hash: string;
  readonly now: number;
  readonly fourEyes: boolean;
}

export function approve(
  change: PendingChange,
  { caller, hash: seen, now, fourEyes }: Approval,
): readonly PendingChangeEvent[] {
  mayDecide(change, caller);
  if (fourEyes) mustBeAnother(change, caller);
  mustBePending(change, now);
  if (seen !== change.hash) refuse('pending-change-not-as-seen', undefined, { hash: change.hash });
  mustKeepSecrets(change, caller);
  return [{ type: 'PendingChangeApproved', data: {} }];
}

export function reject(
  change: PendingChange,
  {
    caller,
    reason,
    now,
  }: { readonly caller: Caller | undefined; readonly reason: string | undefined; readonly now: number },
): readonly PendingChangeEvent[] {
  mayDecide(change, caller);
  mustBePending(change, now);
  return [{ type: 'PendingChangeRejected', data: { reason: reason ?? null } }];
}

export function expire(change: PendingChange, now: number): readonly PendingChangeEvent[] {
  return change.status === 'pending' && isExpired(change, now) ? [{ type: 'PendingChangeExpired', data: {} }] : [];
}

export function replace(change: PendingChange, by: string): readonly PendingChangeEvent[] {
  return change.status === 'pending' ? [{ type: 'PendingChangeReplaced', data: { by } }] : [];
}

export function applied(change: PendingChange): readonly PendingChangeEvent[] {
  return change.status === 'approved' ? [{ type: 'PendingChangeApplied', data: {} }] : [];
}

export function failedChange(change: PendingChange, reason: string): readonly PendingChangeEvent[] {
  const isOpen = change.status === 'approved' || change.status === 'pending';
  return isOpen ? [{ type: 'PendingChangeFailed', data: { reason } }] : [];
}

function requestersOf({ requestedBy, alsoRequestedBy = [] }: Pick<PendingChange, 'requestedBy' | 'alsoRequestedBy'>) {
  const isOther = ({ kind, id }: Actor) => kind !== requestedBy.kind || id !== requestedBy.id;
  return [...alsoRequestedBy.filter(isOther), requestedBy];
}

export const reasonFor = ({ requestReason }: PendingChange): { readonly reason?: string } =>
  requestReason === undefined ? {} : { reason: requestReason };

export const isExpired = ({ expiresAt }: Pick<PendingChange, 'expiresAt'>, now: number) => Date.parse(expiresAt) <= now;

function mustBePending(change: PendingChange, now: number): void {
  if (change.status !== 'pending') refuse('pending-change-decided', { status: change.status });
  if (isExpired(change, now)) refuse('pending-change-decided', { status: 'expired' });
}
