import type { auditSealed, SignedHead } from '../../../kernel/audit-chain/signed-head.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import { streamOf } from '../../../kernel/event/stream-name.js';

/** There is one stream per workspace. Seals are not part of the audit. */
export const auditSealCategory = 'auditSeal';

export const sealStream = (workspaceId: string) => streamOf(auditSealCategory, workspaceId, workspaceId);

export interface AuditSeal {
  readonly head: SignedHead;
  /** Digests of all events since `head.previous`, in log order. */
  readonly digests: readonly string[];
  /** Identifies the last sealed event by values that are the same in every event store. */
  readonly last: { readonly stream: string; readonly revision: number };
}

export type AuditSealedEvent = DomainEvent<typeof auditSealed, AuditSeal>;
