import type { EventMetadata, RecordedEvent } from '../../../kernel/event/event.js';
import type { EventStore } from '../../../ports/event-store.port.js';
import type { AuditEntry } from './audit-reading.record.js';

/** The event that an index entry refers to. Only the log holds its data. */
export async function recordedOf(store: EventStore, entry: AuditEntry): Promise<RecordedEvent | undefined> {
  const [event] = await store.readStream(entry.stream, { from: entry.revision, limit: 1, onlyShown: true });
  return event?.revision === entry.revision ? event : undefined;
}

export function listedEvent(entry: AuditEntry, data: unknown): object {
  const { position, id, type, at, actor, command, kind, resourceId, correlationId, causationId, approvedBy, reason } =
    entry;
  const resource = { kind, id: resourceId };
  const asked = askedFor({ approvedBy, reason });
  return { position, id, type, at, actor, ...asked, command, resource, data, correlationId, causationId };
}

/** Who approved the call that recorded the event, and why its caller asked for it, where there is such a thing. */
export function askedFor({ approvedBy, reason }: Asked): Asked {
  return { ...(approvedBy === undefined ? {} : { approvedBy }), ...(reason === undefined ? {} : { reason }) };
}

type Asked = { readonly [Name in 'approvedBy' | 'reason']?: EventMetadata[Name] | undefined };
