import type { NamedCard } from '../../../engine/approvals/pending-changes.js';
import type { Actor, DomainEvent } from '../../../kernel/event/event.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import type { Document } from '../../../kernel/record/projection.js';
import { record } from '../../../kernel/record/record.js';
import { refuse } from '../approvals.refusals.js';

export interface Proposed {
  readonly kind: string;
  readonly summary: string;
  readonly target: { readonly kind: string; readonly id: string; readonly name: string };
  readonly changes: readonly JsonObject[];
  readonly approver: 'editor' | 'admin';
  /** Digest of the target's state when the card was created. */
  readonly base: string;
  readonly input: JsonObject;
  readonly expiresAt: string;
  /** Hash of the fields above. An approval must contain this hash, to prove which card the person saw. */
  readonly hash: string;
  /** The pending card that this one replaced. Older events never have this field. */
  readonly replaces?: NamedCard;
  readonly alsoRequestedBy?: readonly Actor[];
}

export type PendingChangeEvent =
  | DomainEvent<'PendingChangeProposed', Proposed>
  | DomainEvent<'PendingChangeApproved', object>
  | DomainEvent<'PendingChangeApplied', object>
  | DomainEvent<'PendingChangeFailed', { readonly reason: string }>
  | DomainEvent<'PendingChangeRejected', { readonly reason: string | null }>
  | DomainEvent<'PendingChangeExpired', object>
  | DomainEvent<'PendingChangeReplaced', { readonly by: string }>;

export type PendingChangeStatus = 'pending' | 'approved' | 'applied' | 'rejected' | 'expired' | 'replaced' | 'failed';

export interface PendingChange extends Document, Proposed {
  readonly targetId: string;
  readonly requestedBy: Actor;
  readonly requestReason?: string;
  readonly correlationId: string;
  /** Id of the event or run that caused the request. The events of the applied change have the same cause. */
  readonly causationId?: string;
  readonly status: PendingChangeStatus;
  readonly decidedBy: Actor | null;
  readonly decidedAt: string | null;
  readonly reason: string | null;
  readonly replacedBy?: Pick<NamedCard, 'id'>;
  readonly createdAt: string;
  readonly position: number;
}

export const pendingChanges = record<PendingChange, PendingChangeEvent>()({
  category: 'pendingChange',
  auditedFor: 'functions.read',
  shownBy: 'approvals/getPendingChange',
  // Large texts, such as the code of a function, are stored separately and recorded by reference.
  texts: ['changes.*.from', 'changes.*.to', 'input.definition.code'],
  undoing: 'A decision about a card cannot be undone; request the opposite change.',
  missing: () => refuse('pending-change-not-found'),
  collection: {
    name: 'pendingChanges',
    version: 2,
    indexes: [
      { fields: ['workspaceId', 'status', 'createdAt'] },
      { fields: ['workspaceId', 'createdAt'] },
      { fields: ['targetId', 'kind', 'status'] },
      { fields: ['status', 'expiresAt'] },
    ],
  },
  begins: {
    PendingChangeProposed: ({ data, metadata, position }, ids) => ({
      ...ids,
      ...data,
      targetId: data.target.id,
      requestedBy: metadata.actor,
      ...(metadata.reason === undefined ? {} : { requestReason: metadata.reason }),
      correlationId: metadata.correlationId,
      ...(metadata.causationId === null ? {} : { causationId: metadata.causationId }),
      status: 'pending',
      decidedBy: null,
      decidedAt: null,
      reason: null,
      createdAt: metadata.at,
      position,
    }),
  },
  continues: {
    PendingChangeApproved: (change, { metadata: { actor, at } }) => ({
      ...change,
      status: 'approved',
      decidedBy: actor,
      decidedAt: at,
    }),
    PendingChangeApplied: (change) => ({ ...change, status: 'applied' }),
    PendingChangeFailed: (change, { data }) => ({ ...change, status: 'failed', reason: data.reason }),
    PendingChangeRejected: (change, { data, metadata: { actor, at } }) => ({
      ...change,
      status: 'rejected',
      reason: data.reason,
      decidedBy: actor,
      decidedAt: at,
    }),
    PendingChangeExpired: (change) => ({ ...change, status: 'expired' }),
    PendingChangeReplaced: (change, { data }) => ({ ...change, status: 'replaced', replacedBy: { id: data.by } }),
  },
});
