import type { SignedHead } from '../../../kernel/audit-chain/signed-head.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import { streamOf } from '../../../kernel/event/stream-name.js';

/** Category of the streams with seals, one per workspace. The seals themselves are not part of the audit. */
export const auditSealCategory = 'auditSeal';
export const auditSealed = 'AuditSealed';

export const sealStream = (workspaceId: string) => streamOf(auditSealCategory, workspaceId, workspaceId);

/** A seal over all events of the audit since the previous seal. A later change of these events can be detected. */
export interface AuditSeal {
  readonly head: SignedHead;
  /** Digests of all events since `head.previous`, in log order. They show which event has been changed. */
  readonly digests: readonly string[];
  /** The last sealed event. Its stream and revision identify it in every event store. */
  readonly last: { readonly stream: string; readonly revision: number };
}

export type AuditSealedEvent = DomainEvent<typeof auditSealed, AuditSeal>;
