import type { SignedHead } from '../../../kernel/audit-chain/signed-head.js';
import type { DomainEvent } from '../../../kernel/event.js';
import { streamOf } from '../../../kernel/stream-name.js';

/** One stream a workspace. It is not part of the audit, and so not of the chain that it seals. */
export const auditSealCategory = 'auditSeal';
export const auditSealed = 'AuditSealed';

export const sealStream = (workspaceId: string) => streamOf(auditSealCategory, workspaceId, workspaceId);

/** What was recorded since the seal before, put beyond change. */
export interface AuditSeal {
  readonly head: SignedHead;
  /** Of every event since `head.previous`, in the order of the log: they tell which event it is that was changed. */
  readonly digests: readonly string[];
  /** Where the last of these events is found in any store. */
  readonly last: { readonly stream: string; readonly revision: number };
}

export type AuditSealedEvent = DomainEvent<typeof auditSealed, AuditSeal>;
