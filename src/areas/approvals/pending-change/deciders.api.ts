import type { PendingChangeCard } from '../../../engine/approvals/pending-changes.js';
import { authorise } from '../../../engine/authorisation/authorisation.js';
import { findOperation } from '../../../engine/operation/operation.js';
import { membersBehind } from '../../../kernel/actors/members-behind.js';
import type { Caller } from '../../../kernel/callers/caller.js';
import { refuse } from '../approvals.refusals.js';
import type { PendingChange } from './pending-change.record.js';

interface Asked {
  readonly requestedBy: Requester;
  readonly alsoRequestedBy?: readonly Requester[];
}

type Requester = Omit<PendingChange['requestedBy'], 'name'>;

/**
 * Only a person with the role that the card requires may decide, and about a call only one who may make it themselves.
 * Agents, automations, flows and a person's AI clients never may.
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
 * The approver must not be among the requesters: who asked for the change or for a part of it before, the person behind a
 * client or an agent, and the makers of the key or the agent that was used. The makers of the approving key count as
 * approvers too, because they could be using it.
 */
export function mustBeAnother(change: Asked, caller: Caller | undefined): void {
  if (caller !== undefined && hasAsked(change, caller)) refuse('four-eyes');
}

/** Whether the caller counts as having asked for the change, or for a part of it. */
export function hasAsked({ requestedBy, alsoRequestedBy = [] }: Asked, caller: Caller): boolean {
  const asked = new Set([requestedBy, ...alsoRequestedBy].flatMap((one) => [one.id, ...membersBehind(one)]));
  return membersBehind(caller).some((member) => asked.has(member));
}

/** Only what can no longer be approved is asked for again, and nothing that a person turned down or that came about. */
export function mustBeVoid({ kind, status }: Pick<PendingChangeCard, 'kind' | 'status'>): void {
  if (findOperation(kind) !== undefined) refuse('call-asked-again', { operation: kind });
  if (status !== 'failed' && status !== 'expired') refuse('pending-change-not-void', { status });
}
