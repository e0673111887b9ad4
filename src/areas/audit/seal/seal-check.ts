import { type ChainPlace, followingAll } from '../../../kernel/audit-chain/chain.js';
import {
  auditSealed,
  fingerprintOf,
  isSigned,
  type SignedHead,
  signedHeadOf,
} from '../../../kernel/audit-chain/signed-head.js';
import type { RecordedEvent } from '../../../kernel/event/event.js';
import { isReadable } from '../../../kernel/event/unreadable-event.js';
import type { AuditSeal } from './audit-seal.record.js';

export interface CheckedSeal {
  readonly head: SignedHead;
  readonly digests: readonly string[];
  readonly revision: number;
}

interface ExpectedSeal {
  readonly workspaceId: string;
  readonly place: ChainPlace;
  readonly revision: number;
  readonly publicKey: string;
}

export function checkedSeal(event: RecordedEvent, expected: ExpectedSeal): CheckedSeal | string {
  const { revision } = event;
  if (revision !== expected.revision) return `seal ${expected.revision + 1} is missing`;
  const name = `seal ${revision + 1}`;
  if (!isSeal(event)) return `${name} was changed: it no longer has the form of a seal`;
  const { head, digests } = event.data;
  if (head.publicKey !== expected.publicKey) {
    return `${name} is signed with another key, ${fingerprintOf(head.publicKey)}`;
  }
  if (!isSigned(head)) return `${name} was changed: its signature is invalid`;
  if (head.workspaceId !== expected.workspaceId) return `${name} belongs to another workspace`;
  if (!isAt(head.previous, expected.place)) return `${name} does not continue where the previous one ended`;
  if (!isAt(followingAll(head.previous, digests), head))
    return `${name} was changed: its digests do not result in its head`;
  return { head, digests, revision };
}

const isAt = (one: ChainPlace, other: ChainPlace) => one.count === other.count && one.head === other.head;

/** Does not check the signature and digests, so anyone who can write to the store can have written the event. */
export function isSeal(event: RecordedEvent): event is RecordedEvent<typeof auditSealed, AuditSeal> {
  if (event.type !== auditSealed || !isReadable(event) || !isObject(event.data)) return false;
  const { head, digests, last } = event.data;
  if (signedHeadOf(head) === undefined || !Array.isArray(digests) || !isObject(last)) return false;
  const hasPosition =
    typeof last.stream === 'string' && Number.isSafeInteger(last.revision) && Number(last.revision) >= 0;
  return hasPosition && digests.every((digest) => typeof digest === 'string');
}

const isObject = (value: unknown): value is Partial<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
