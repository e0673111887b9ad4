import type { PendingChangeCard } from '../../../engine/approvals/pending-changes.js';
import { authorise } from '../../../engine/authorisation/authorisation.js';
import { findOperation } from '../../../engine/operation/operation.js';
import { membersBehind } from '../../../kernel/actors/members-behind.js';
import type { Caller } from '../../../kernel/callers/caller.js';
import { type ListedSecret, lostSecrets } from '../../../secret-text/secret-list.js';
import { refuse } from '../approvals.refusals.js';
import type { PendingChange } from './pending-change.record.js';

interface Requested {
  readonly requestedBy: Requester;
  readonly alsoRequestedBy?: readonly Requester[];
}

type SecretList = readonly ListedSecret[];

type Requester = Omit<PendingChange['requestedBy'], 'name'>;

/**
 * Only people may decide about a card (a pending change); their agents, automations, flows and AI clients may not. If
 * the card calls an operation, the person needs the right to this operation. Otherwise, the person needs the right to
 * edit functions and the role that the card requires.
 * @throws Refusal only-a-person-decides, only-an-admin-decides, may-not-decide, and the refusals of `authorise`
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
 * Four eyes: refuses an approval by a requester. Requesters are all who requested the change or a part of it, the
 * people behind their agents and clients, and the members who created the keys or agents that were used. If the
 * approver uses a key, the approval is also refused if the member who created that key is a requester, because this
 * member could use the key.
 * @throws Refusal four-eyes
 */
export function mustBeAnother(change: Requested, caller: Caller | undefined): void {
  if (caller !== undefined && hasAsked(change, caller)) refuse('four-eyes');
}

export function hasAsked({ requestedBy, alsoRequestedBy = [] }: Requested, caller: Caller): boolean {
  const requesters = new Set([requestedBy, ...alsoRequestedBy].flatMap((one) => [one.id, ...membersBehind(one)]));
  return membersBehind(caller).some((member) => requesters.has(member));
}

/**
 * Refuses a caller who is not allowed to delete if the approval would remove secrets from a function. An approval
 * removes secrets if the change was requested with `keepUntilApproved`.
 * @throws Refusal key-never-deletes
 */
export function mustKeepSecrets(
  { kind, changes }: Pick<PendingChange, 'kind' | 'changes'>,
  caller: Caller | undefined,
): void {
  if (!caller?.neverDeletes || kind !== 'function-secrets') return;
  const lists = changes as unknown as readonly { readonly from: SecretList; readonly to: SecretList }[];
  if (lists.some(({ from, to }) => lostSecrets(from, to).length > 0)) {
    refuse('key-never-deletes', { operation: 'approvals/approvePendingChange' });
  }
}

/**
 * Accepts only a card that has failed or expired and that does not call an operation.
 * @throws Refusal call-asked-again, pending-change-not-void
 */
export function mustBeVoid({ kind, status }: Pick<PendingChangeCard, 'kind' | 'status'>): void {
  if (findOperation(kind) !== undefined) refuse('call-asked-again', { operation: kind });
  if (status !== 'failed' && status !== 'expired') refuse('pending-change-not-void', { status });
}
