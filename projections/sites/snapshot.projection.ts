import { hash } from 'node:crypto';
import type { ProjectEvent } from '../../src/areas/sites/project/project.record.js';
import {
  type ContentChange,
  type ContentFile,
  contentNouns,
  type Snapshot,
  type SnapshotFile,
} from '../../src/areas/sites/snapshot/snapshot.record.js';
import type { RecordedEvent } from '../../src/kernel/event/event.js';
import { parseStream } from '../../src/kernel/event/stream-name.js';
import { amend, type DocumentChange, type Projection, removeWhere, step } from '../../src/kernel/record/projection.js';

interface ContentData {
  readonly projectId: string;
  readonly message?: string | null;
  readonly name?: string;
  readonly path?: string;
}

type Saved = Extract<ProjectEvent, { type: 'SnapshotSaved' }>;

const changes: Readonly<Record<string, ContentChange>> = {
  Created: 'created',
  Restored: 'created',
  Updated: 'updated',
  Deleted: 'deleted',
};

const nounOf: Readonly<Record<string, string>> = contentNouns;
const contentTypes = Object.values(contentNouns).flatMap((noun) =>
  Object.keys(changes).map((change) => `${noun}${change}`),
);
const saves: ProjectEvent['type'] = 'SnapshotSaved';
const ends: ProjectEvent['type'] = 'ProjectDeleted';

export const snapshotsProjection: Projection = {
  name: 'snapshots',
  version: 2,
  collections: {
    snapshots: { indexes: [{ fields: ['workspaceId', 'projectId', 'position'] }] },
    contentFiles: {
      indexes: [{ fields: ['workspaceId', 'projectId', 'since'] }, { fields: ['workspaceId', 'projectId', 'changed'] }],
    },
  },
  reads: { types: [...contentTypes, saves, ends] },
  changes: (event) => {
    const { category, workspaceId, id } = parseStream(event.stream);
    if (event.type === ends) {
      const where = { workspaceId, projectId: id };
      return [removeWhere('snapshots', where), removeWhere('contentFiles', where)];
    }
    if (event.type === saves) return [saved(event, id)];
    const noun = nounOf[category];
    const change = noun === undefined ? undefined : changes[event.type.slice(noun.length)];
    // The service itself deletes the content of a deleted project. These deletions make no snapshots.
    if (change === undefined || event.metadata.actor.kind === 'system') return [];
    // Events recorded before snapshots existed do not contain the project.
    if (!Object.hasOwn(event.data, 'projectId')) return [];
    return [inSnapshot(event, { kind: category, id, change }), ofFile(event, { kind: category, id, change })];
  },
};

function inSnapshot(event: RecordedEvent, file: SnapshotFile): DocumentChange {
  const { projectId, message = null } = event.data as ContentData;
  const id = `snap_${hash('sha256', `${projectId} ${event.metadata.commandId}`, 'hex').slice(0, 24)}`;
  return step<Snapshot>('snapshots', id, (before) => ({
    ...snapshotOf(event, { id, projectId, label: before?.label ?? message }),
    files: withFile(before?.files ?? [], file),
  }));
}

/** If an append was repeated, the first event counts, because the edits may already be discarded at the second. */
function saved(event: RecordedEvent, projectId: string): DocumentChange {
  const { snapshotId: id, message: label } = event.data as Saved['data'];
  return step<Snapshot>(
    'snapshots',
    id,
    (before) => before ?? { ...snapshotOf(event, { id, projectId, label }), files: [], includesSettings: true },
  );
}

function snapshotOf(
  { metadata: { workspaceId, commandId, actor, operation, at }, position }: RecordedEvent,
  { id, projectId, label }: Pick<Snapshot, 'id' | 'projectId' | 'label'>,
): Omit<Snapshot, 'files'> {
  return {
    id,
    workspaceId,
    projectId,
    position,
    commandId,
    kind: kindOf(operation),
    label,
    author: { kind: actor.kind, id: actor.id, name: actor.name },
    createdAt: at,
  };
}

function kindOf(operation: string): Snapshot['kind'] {
  if (operation === 'site/restoreSnapshot') return 'restore';
  return operation === 'site/revertSnapshotChange' ? 'revert' : 'change';
}

/** One command can record several events about one record. A creation or deletion takes precedence over updates. */
function withFile(files: readonly SnapshotFile[], file: SnapshotFile): readonly SnapshotFile[] {
  const known = files.find(({ id }) => id === file.id);
  if (known === undefined) return [...files, file];
  if (known.change === file.change || file.change === 'updated') return files;
  return files.map((one) => (one === known ? file : one));
}

function ofFile(
  { data, metadata: { workspaceId }, position }: RecordedEvent,
  { kind, id, change }: SnapshotFile,
): DocumentChange {
  const { projectId, name, path } = data as ContentData;
  if (change !== 'created') {
    return amend<ContentFile>('contentFiles', id, (file) => ({
      ...file,
      name: name ?? file.name,
      path: path ?? file.path,
      changed: position,
      deleted: change === 'deleted' ? position : file.deleted,
    }));
  }
  return step<ContentFile>('contentFiles', id, (before) => ({
    id,
    workspaceId,
    projectId,
    kind,
    name: name ?? '',
    path: path ?? null,
    since: before?.since ?? position,
    changed: position,
    deleted: null,
  }));
}
