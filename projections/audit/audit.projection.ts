import {
  type AuditEntry,
  auditedCategories,
  auditReadingCategory,
} from '../../src/areas/audit/reading/audit-reading.record.js';
import type { RecordedEvent } from '../../src/kernel/event.js';
import { type Projection, put } from '../../src/kernel/projection.js';
import { revisionPruned } from '../../src/kernel/pruned-revision.js';
import { parseStream } from '../../src/kernel/stream-name.js';

/**
 * The index of the audit: every event of every record. Journals of runs and of key use are pruned by retention and
 * reservations repeat what the records say, so they are not part of it.
 */
export const auditProjection: Projection = {
  name: 'audit',
  version: 3,
  collections: {
    audit: {
      indexes: [
        { fields: ['workspaceId', 'position'] },
        { fields: ['workspaceId', 'kind', 'position'] },
        { fields: ['workspaceId', 'resourceId', 'position'] },
        { fields: ['workspaceId', 'actorId', 'position'] },
        { fields: ['workspaceId', 'causationId', 'position'] },
      ],
    },
  },
  // Asked for when it is read: by then every kind of record has been declared.
  get reads() {
    return { categories: auditedCategories() };
  },
  changes: (event) => {
    if (event.type === revisionPruned) return [];
    const { category, workspaceId, id } = parseStream(event.stream);
    return [put<AuditEntry>('audit', entryOf(event, category, workspaceId, id))];
  },
};

function entryOf(event: RecordedEvent, kind: string, workspaceId: string, resourceId: string): AuditEntry {
  const { metadata } = event;
  return {
    id: event.id,
    workspaceId,
    position: event.position,
    stream: event.stream,
    revision: event.revision,
    type: event.type,
    at: metadata.at,
    actor: metadata.actor,
    actorId: metadata.actor.id,
    command: metadata.operation,
    kind,
    resourceId,
    listed: kind !== auditReadingCategory,
    correlationId: metadata.correlationId,
    causationId: metadata.causationId,
  };
}
