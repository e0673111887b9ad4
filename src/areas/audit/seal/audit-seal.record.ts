import { type SignedHead, signedHeadOf } from '../../../kernel/audit-chain/signed-head.js';
import type { DomainEvent, RecordedEvent } from '../../../kernel/event.js';
import { streamOf } from '../../../kernel/stream-name.js';
import { isReadable } from '../../../kernel/unreadable-event.js';

/** One stream per workspace. It is not part of the audit, so the chain does not seal it. */
export const auditSealCategory = 'auditSeal';
export const auditSealed = 'AuditSealed';

export const sealStream = (workspaceId: string) => streamOf(auditSealCategory, workspaceId, workspaceId);

/** Seals everything recorded since the previous seal against later changes. */
export interface AuditSeal {
  readonly head: SignedHead;
  /** The digest of every event since `head.previous`, in log order. They tell which event was changed. */
  readonly digests: readonly string[];
  /** Where any store holds the last of these events. */
  readonly last: { readonly stream: string; readonly revision: number };
}

export type AuditSealedEvent = DomainEvent<typeof auditSealed, AuditSeal>;

/**
 * Whether a recorded event still has every part of a seal. Anybody who can write to the store may have changed it, so
 * nothing of it is used before this is known. Whether its signature and its digests are right is another question.
 */
export function isSeal(event: RecordedEvent): event is RecordedEvent<typeof auditSealed, AuditSeal> {
  if (event.type !== auditSealed || !isReadable(event) || !isObject(event.data)) return false;
  const { head, digests, last } = event.data;
  if (signedHeadOf(head) === undefined || !Array.isArray(digests) || !isObject(last)) return false;
  const isPlace = typeof last.stream === 'string' && Number.isSafeInteger(last.revision) && Number(last.revision) >= 0;
  return isPlace && digests.every((digest) => typeof digest === 'string');
}

const isObject = (value: unknown): value is Partial<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
