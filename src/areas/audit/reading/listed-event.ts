import type { RecordedEvent } from '../../../kernel/event.js';
import type { EventStore } from '../../../ports/event-store.port.js';
import type { AuditEntry } from './audit-reading.record.js';

/** The event that an index entry refers to. Only the log holds its data. */
export async function recordedOf(store: EventStore, entry: AuditEntry): Promise<RecordedEvent | undefined> {
  const [event] = await store.readStream(entry.stream, { from: entry.revision, limit: 1, onlyShown: true });
  return event?.revision === entry.revision ? event : undefined;
}

export function listedEvent(entry: AuditEntry, data: unknown): object {
  const { position, id, type, at, actor, command, kind, resourceId, correlationId, causationId, approvedBy } = entry;
  const resource = { kind, id: resourceId };
  const approved = approvedBy === undefined ? {} : { approvedBy };
  return { position, id, type, at, actor, ...approved, command, resource, data, correlationId, causationId };
}
