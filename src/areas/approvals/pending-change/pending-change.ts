import { hash } from 'node:crypto';
import type { Proposal } from '../../../engine/pending-changes.js';
import type { Caller } from '../../../kernel/caller.js';
import type { JsonObject } from '../../../kernel/json.js';
import { membersBehind } from '../../../kernel/members-behind.js';
import { refuse } from '../../../kernel/refusal.js';
import type { PendingChange, PendingChangeEvent } from './pending-change.record.js';

const dayMs = 24 * 3_600_000;
/** Settled question Q-G09. */
const pendingForMs = 7 * dayMs;

export function propose(proposal: Proposal, now: number): readonly PendingChangeEvent[] {
  const { kind, summary, target, approver, base, input } = proposal;
  const changes = proposal.changes.map(({ path, from, to }): JsonObject => ({ path, from, to }));
  const expiresAt = new Date(now + pendingForMs).toISOString();
  const proposed = { kind, summary, target, changes, approver, base, input, expiresAt };
  const seen = hash('sha256', JSON.stringify(proposed), 'hex');
  return [{ type: 'PendingChangeProposed', data: { ...proposed, hash: seen } }];
}

export interface Approval {
  readonly caller: Caller | undefined;
  /** Of the card that was seen. */
  readonly hash: string;
  readonly now: number;
  readonly fourEyes: boolean;
}

/** Happens at most once: whoever comes second finds it decided. */
export function approve(
  change: PendingChange,
  { caller, hash: seen, now, fourEyes }: Approval,
): readonly PendingChangeEvent[] {
  mayDecide(change, caller);
  if (fourEyes) mustBeAnother(change.requestedBy, caller);
  mustBePending(change, now);
  if (seen !== change.hash) refuse('pending-change-not-as-seen', undefined, { hash: change.hash });
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
  return change.status === 'pending' && isOver(change, now) ? [{ type: 'PendingChangeExpired', data: {} }] : [];
}

export function replace(change: PendingChange, by: string): readonly PendingChangeEvent[] {
  return change.status === 'pending' ? [{ type: 'PendingChangeReplaced', data: { by } }] : [];
}

export function applied(change: PendingChange): readonly PendingChangeEvent[] {
  return change.status === 'approved' ? [{ type: 'PendingChangeApplied', data: {} }] : [];
}

/** It can never be applied any more: what it stands on has moved, or refuses it. */
export function failed(change: PendingChange, reason: string): readonly PendingChangeEvent[] {
  const isOpen = change.status === 'approved' || change.status === 'pending';
  return isOpen ? [{ type: 'PendingChangeFailed', data: { reason } }] : [];
}

export const isOver = ({ expiresAt }: Pick<PendingChange, 'expiresAt'>, now: number) => Date.parse(expiresAt) <= now;

/** A person, of the role that the card asks for. No agent, automation, flow or client of a person's ever decides. */
export function mayDecide({ approver }: Pick<PendingChange, 'approver'>, caller: Caller | undefined): void {
  if (caller?.kind !== 'person') refuse('only-a-person-decides');
  const isAdmin = caller.role === 'owner' || caller.role === 'admin';
  if (approver === 'admin' && !isAdmin) refuse('only-an-admin-decides');
  if (!caller.permissions.has('functions.edit')) refuse('may-not-decide');
}

/**
 * Nobody who counts as having asked: whoever did, the person behind a client or an agent, and who made the key or the agent
 * that was used. Who made the approving key counts with the approver, because they could be the ones who use it.
 */
export function mustBeAnother(requestedBy: Requester, caller: Caller | undefined): void {
  if (caller === undefined) return;
  const asked = new Set([requestedBy.id, ...membersBehind(requestedBy)]);
  if (membersBehind(caller).some((member) => asked.has(member))) refuse('four-eyes');
}

type Requester = Omit<PendingChange['requestedBy'], 'name'>;

function mustBePending(change: PendingChange, now: number): void {
  if (change.status !== 'pending') refuse('pending-change-decided', { status: change.status });
  if (isOver(change, now)) refuse('pending-change-decided', { status: 'expired' });
}
