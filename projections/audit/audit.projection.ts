import type { Actor, RecordedEvent } from '../../src/kernel/event.js';
import { type Document, type Projection, put } from '../../src/kernel/projection.js';
import { revisionPruned } from '../../src/kernel/pruned-revision.js';
import { recordCategories } from '../../src/kernel/record.js';
import { parseStream } from '../../src/kernel/stream-name.js';

/** Where an event stands and what it is about; its data stays in the log. */
export interface AuditEntry extends Document {
  readonly position: number;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly at: string;
  readonly actor: Actor;
  readonly actorId: string;
  readonly command: string;
  readonly kind: string;
  readonly resourceId: string;
  /** Shown without being asked for by kind: all but readings of the audit. */
  readonly listed: boolean;
  readonly correlationId: string;
  readonly causationId: string | null;
}

/** Who has read the audit: a stream for each caller and hour, and an older one for each workspace. */
export const auditReadingCategory = 'auditReading';
export const auditReadTypes: readonly string[] = ['AuditRead', 'AuditReadAgain'];

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
    return { categories: [...recordCategories(), auditReadingCategory] };
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
