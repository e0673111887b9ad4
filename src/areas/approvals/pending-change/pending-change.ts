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
  /** The hash of the card that the person saw. */
  readonly hash: string;
  readonly now: number;
  readonly fourEyes: boolean;
}

/** Emitted at most once: a second decision finds the card decided. */
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

/** The change can never be applied: its base has changed, or its target refuses it. */
export function failed(change: PendingChange, reason: string): readonly PendingChangeEvent[] {
  const isOpen = change.status === 'approved' || change.status === 'pending';
  return isOpen ? [{ type: 'PendingChangeFailed', data: { reason } }] : [];
}

export const isOver = ({ expiresAt }: Pick<PendingChange, 'expiresAt'>, now: number) => Date.parse(expiresAt) <= now;

/**
 * Only a person with the role that the card requires may decide. Agents, automations, flows and a person's AI clients
 * never may.
 */
export function mayDecide({ approver }: Pick<PendingChange, 'approver'>, caller: Caller | undefined): void {
  if (caller?.kind !== 'person') refuse('only-a-person-decides');
  const isAdmin = caller.role === 'owner' || caller.role === 'admin';
  if (approver === 'admin' && !isAdmin) refuse('only-an-admin-decides');
  if (!caller.permissions.has('functions.edit')) refuse('may-not-decide');
}

/**
 * The approver must not be among the requesters: the one who asked, the person behind a client or an agent, and the
 * makers of the key or the agent that was used. The makers of the approving key count as approvers too, because they
 * could be using it.
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
