import {
  type AuditEntry,
  type AuditStretch,
  auditedCategories,
  auditReadingCategory,
  stretchLength,
} from '../../src/areas/audit/reading/audit-reading.record.js';
import type { RecordedEvent } from '../../src/kernel/event/event.js';
import { revisionPruned } from '../../src/kernel/event/pruned-revision.js';
import { parseStream } from '../../src/kernel/event/stream-name.js';
import { type DocumentChange, type Projection, put, step } from '../../src/kernel/record/projection.js';

/**
 * Leaves out the journals of runs and of key use, because retention prunes them. Also leaves out reservations of unique
 * names, because the records contain the names.
 */
export const auditProjection: Projection = {
  name: 'audit',
  version: 4,
  collections: {
    audit: {
      indexes: [
        { fields: ['workspaceId', 'causationId', 'position'] },
        // There is no index on positions alone, because SQLite would wrongly prefer it to these.
        { fields: ['workspaceId', 'listed', 'position'] },
        { fields: ['workspaceId', 'kind', 'position'] },
        { fields: ['workspaceId', 'type', 'position'] },
        { fields: ['workspaceId', 'kind', 'type', 'position'] },
        { fields: ['workspaceId', 'actorId', 'listed', 'position'] },
        { fields: ['workspaceId', 'actorId', 'kind', 'position'] },
        { fields: ['workspaceId', 'actorId', 'type', 'position'] },
        { fields: ['workspaceId', 'resourceId', 'kind', 'position'] },
      ],
    },
    auditStretches: { indexes: [{ fields: ['workspaceId', 'number'] }] },
  },
  // A getter, because the categories of records are declared after this file is loaded.
  get reads() {
    return { categories: auditedCategories() };
  },
  changes: (event) => {
    if (event.type === revisionPruned) return [];
    const { category, workspaceId, id } = parseStream(event.stream);
    return [put<AuditEntry>('audit', entryOf(event, category, workspaceId, id)), stretchWith(event, workspaceId)];
  },
};

function stretchWith({ position, metadata: { at } }: RecordedEvent, workspaceId: string): DocumentChange {
  const number = Math.floor(position / stretchLength);
  const id = `${workspaceId}/${number}`;
  return step<AuditStretch>('auditStretches', id, (stretch) => {
    const { earliest, latest } = stretch ?? { earliest: at, latest: at };
    if (stretch !== undefined && earliest <= at && at <= latest) return stretch;
    return { id, workspaceId, number, earliest: at < earliest ? at : earliest, latest: at > latest ? at : latest };
  });
}

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
    ...(metadata.approvedBy === undefined ? {} : { approvedBy: metadata.approvedBy }),
    ...(metadata.reason === undefined ? {} : { reason: metadata.reason }),
  };
}
