import { Injectable } from '@nestjs/common';
import { AggregateLoader } from '../../../engine/commands/aggregate-loader.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { type ContentId, type Project, type ProjectEvent, projects } from '../project/project.record.js';
import { type ContentKind, type ContentRecord, contentKindOf } from './content-kinds.api.js';
import { type ContentFile, contentSettings, type Snapshot } from './snapshot.record.js';

type ContentSettings = Partial<Pick<Project, (typeof contentSettings)[number]>>;
type Reverting = Extract<ProjectEvent, { type: 'SnapshotChangeReverted' }>;
type Reverted = Reverting['data'];

/** A record before and after a command. Undefined means that it did not exist. */
export interface ChangedContent {
  readonly before: ContentRecord | undefined;
  readonly after: ContentRecord | undefined;
}

/** A record as it last was under a key: a page at a path, a component with a name, a template with a slug. */
export interface ContentAtPath {
  readonly record: ContentRecord;
  /** Log position of its deletion, if it was deleted under this key and still is. */
  readonly deleted: number | undefined;
}

/**
 * Reads a project's content as of a snapshot. A record that has not changed since the snapshot is read from its
 * document; others are rebuilt from the log.
 */
@Injectable()
export class PastContent {
  constructor(
    private readonly loader: AggregateLoader,
    private readonly reads: Reads,
  ) {}

  /** Sorted by time of creation. */
  async idsAt({ workspaceId, projectId, position }: Snapshot, category: string): Promise<readonly string[]> {
    const found = await this.reads.find<ContentFile>(workspaceId, 'contentFiles', {
      where: { projectId, since: { lte: position } },
      sort: [['since', 'asc']],
    });
    return found.filter((file) => file.kind === category && (file.deleted ?? Infinity) > position).map(({ id }) => id);
  }

  /** Sorted by time of the last change. */
  changedSince({ workspaceId, projectId, position }: Snapshot): Promise<readonly ContentFile[]> {
    return this.reads.find<ContentFile>(workspaceId, 'contentFiles', {
      where: { projectId, changed: { gt: position } },
      sort: [['changed', 'asc']],
    });
  }

  /** Only a few of the records are in memory at a time. */
  at(
    { workspaceId, position }: Snapshot,
    { record }: ContentKind,
    ids: readonly string[],
  ): AsyncIterable<ContentRecord> {
    return this.loader.at(record, workspaceId, ids, position);
  }

  /** Returns the settings of the project that the snapshot includes. */
  async settingsAt({ workspaceId, projectId, position, includesSettings }: Snapshot): Promise<ContentSettings> {
    if (!includesSettings) return {};
    for await (const project of this.loader.at(projects, workspaceId, [projectId], position)) {
      return Object.fromEntries(contentSettings.map((name) => [name, project[name]]));
    }
    return {};
  }

  async now(workspaceId: string, { record }: ContentKind, id: string): Promise<ContentRecord | undefined> {
    return (await this.loader.load(record, streamOf(record.category, workspaceId, id))).state;
  }

  /** Undefined if the record never had the key. */
  async lastAt(
    key: string,
    workspaceId: string,
    { record: { category, initial, evolve } }: ContentKind,
    { id, keyOf }: { readonly id: string; keyOf(record: ContentRecord): string },
  ): Promise<ContentAtPath | undefined> {
    let state = initial;
    let record: ContentRecord | undefined;
    let deleted: number | undefined;
    for await (const event of this.loader.history(streamOf(category, workspaceId, id))) {
      const before = state;
      state = evolve(state, event as never);
      if (state !== undefined && keyOf(state) === key) record = state;
      if (state !== undefined) deleted = undefined;
      else if (before !== undefined) deleted = keyOf(before) === key ? event.position : undefined;
    }
    return record && { record, deleted };
  }

  /** `before` and `after` are undefined if the command did not change the record. */
  async byCommand({ workspaceId, commandId, position }: Snapshot, kind: string, id: string): Promise<ChangedContent> {
    const found = contentKindOf(kind);
    if (found === undefined) return { before: undefined, after: undefined };
    const { record } = found;
    let state = record.initial;
    let changed: ChangedContent | undefined;
    for await (const event of this.loader.history(streamOf(kind, workspaceId, id))) {
      if (event.position > position) break;
      const before = state;
      state = record.evolve(state, event as never);
      if (event.metadata.commandId === commandId) changed = { before: changed ? changed.before : before, after: state };
    }
    return changed ?? { before: undefined, after: undefined };
  }

  /**
   * True if an earlier attempt of this command has changed the record. Only a repeatable command can have earlier
   * attempts.
   */
  async wasChangedBy(
    { workspaceId, commandId, repeatable }: OperationContext,
    { kind, id }: ContentId,
  ): Promise<boolean> {
    return repeatable && this.loader.recordedBy(streamOf(kind, workspaceId, id), commandId);
  }

  /** Returns the id of the snapshot that an earlier attempt of this command has saved, if any. */
  async savedBy(call: OperationContext, projectId: string): Promise<string | undefined> {
    const earlier = await this.loader.earlierAttempt(call, projects, projectId, 'SnapshotSaved');
    return earlier?.event.type === 'SnapshotSaved' ? earlier.event.data.snapshotId : undefined;
  }

  /**
   * Returns the data of the event `SnapshotChangeReverted` that an earlier attempt of this command has recorded in the
   * project's stream, if any.
   */
  async recordedOutcome(
    { workspaceId, commandId, repeatable }: OperationContext,
    projectId: string,
  ): Promise<Reverted | undefined> {
    let recorded: Reverted | undefined;
    if (repeatable) {
      await this.loader.holds(streamOf(projects.category, workspaceId, projectId), ({ type, data, metadata }) => {
        const isIt =
          type === ('SnapshotChangeReverted' satisfies Reverting['type']) && metadata.commandId === commandId;
        if (isIt) recorded = data as Reverted;
        return isIt;
      });
    }
    return recorded;
  }
}
