import type { SignedHead } from '../../../kernel/audit-chain/signed-head.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import { streamOf } from '../../../kernel/event/stream-name.js';

/**
 * Category of the seals' streams, one per workspace. They are not part of the audit, so the chain does not seal them.
 */
export const auditSealCategory = 'auditSeal';
export const auditSealed = 'AuditSealed';

export const sealStream = (workspaceId: string) => streamOf(auditSealCategory, workspaceId, workspaceId);

/** Seals everything recorded since the previous seal against later changes. */
export interface AuditSeal {
  readonly head: SignedHead;
  /** The digest of every event since `head.previous`, in log order. A wrong digest identifies the changed event. */
  readonly digests: readonly string[];
  /** The last sealed event, by stream and revision, which are the same in every store. */
  readonly last: { readonly stream: string; readonly revision: number };
}

export type AuditSealedEvent = DomainEvent<typeof auditSealed, AuditSeal>;
