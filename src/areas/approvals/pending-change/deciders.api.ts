import type { PendingChangeCard } from '../../../engine/approvals/pending-changes.js';
import { authorise } from '../../../engine/authorisation/authorisation.js';
import { findOperation } from '../../../engine/operation/operation.js';
import { membersBehind } from '../../../kernel/actors/members-behind.js';
import type { Caller } from '../../../kernel/callers/caller.js';
import { refuse } from '../approvals.refusals.js';
import type { PendingChange } from './pending-change.record.js';

interface Requested {
  readonly requestedBy: Requester;
  readonly alsoRequestedBy?: readonly Requester[];
}

type Requester = Omit<PendingChange['requestedBy'], 'name'>;

/**
 * Only people with the role that the card requires may decide; cards of calls also need the right to make the call.
 * Agents, automations, flows and people's AI clients may never decide.
 */
export function mayDecide(
  { approver, kind }: Pick<PendingChange, 'approver' | 'kind'>,
  caller: Caller | undefined,
): void {
  if (caller?.kind !== 'person') refuse('only-a-person-decides');
  const operation = findOperation(kind);
  if (operation !== undefined) {
    authorise(operation, caller);
    return;
  }
  const isAdmin = caller.role === 'owner' || caller.role === 'admin';
  if (approver === 'admin' && !isAdmin) refuse('only-an-admin-decides');
  if (!caller.permissions.has('functions.edit')) refuse('may-not-decide');
}

/**
 * Four eyes: the approver must not be a requester. Requesters are those who requested the change or an earlier part of
 * it, the person behind a client or agent, and the creators of the key or agent that was used. The creators of the
 * approver's key are treated as approvers, because they could be using it.
 */
export function mustBeAnother(change: Requested, caller: Caller | undefined): void {
  if (caller !== undefined && hasAsked(change, caller)) refuse('four-eyes');
}

/** Whether the caller is treated as a requester of the change, or of a part of it. */
export function hasAsked({ requestedBy, alsoRequestedBy = [] }: Requested, caller: Caller): boolean {
  const requesters = new Set([requestedBy, ...alsoRequestedBy].flatMap((one) => [one.id, ...membersBehind(one)]));
  return membersBehind(caller).some((member) => requesters.has(member));
}

/** Only failed and expired changes can be proposed again. Rejected, applied and replaced ones cannot. */
export function mustBeVoid({ kind, status }: Pick<PendingChangeCard, 'kind' | 'status'>): void {
  if (findOperation(kind) !== undefined) refuse('call-asked-again', { operation: kind });
  if (status !== 'failed' && status !== 'expired') refuse('pending-change-not-void', { status });
}
