import type { EventMetadata, RecordedEvent } from '../../../kernel/event/event.js';
import type { EventStore } from '../../../ports/event-store.port.js';
import type { AuditEntry } from './audit-reading.record.js';

/** Returns undefined if the log no longer contains the event. */
export async function recordedOf(store: EventStore, entry: AuditEntry): Promise<RecordedEvent | undefined> {
  const [event] = await store.readStream(entry.stream, { from: entry.revision, limit: 1, onlyShown: true });
  return event?.revision === entry.revision ? event : undefined;
}

export function listedEvent(entry: AuditEntry, data: unknown): object {
  const { position, id, type, at, actor, command, kind, resourceId, correlationId, causationId, approvedBy, reason } =
    entry;
  const resource = { kind, id: resourceId };
  const approval = approvalFacts({ approvedBy, reason });
  return { position, id, type, at, actor, ...approval, command, resource, data, correlationId, causationId };
}

export function approvalFacts({ approvedBy, reason }: ApprovalFacts): ApprovalFacts {
  return { ...(approvedBy === undefined ? {} : { approvedBy }), ...(reason === undefined ? {} : { reason }) };
}

type ApprovalFacts = { readonly [Name in 'approvedBy' | 'reason']?: EventMetadata[Name] | undefined };
