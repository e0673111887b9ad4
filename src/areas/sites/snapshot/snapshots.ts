import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { AnswerPage, stride } from '../../../engine/records/answer-page.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { ContentId } from '../project/project.record.js';
import { refuse } from '../sites.refusals.js';
import type { ContentFile, Snapshot } from './snapshot.record.js';
import { cursorAt, snapshotCursorPosition } from './snapshot-cursor.js';
import type { RevertedFile, SnapshotRow } from './snapshot-shapes.js';

const defaultLimit = 50;

/**
 * Exclusive lower bound of log positions. A range that contains 0 or 1 is slower in the embedded read store, because
 * its indexes also store booleans as 0 and 1. Content is never at these positions, because the first events create its
 * workspace.
 */
const beforeContent = 1;

interface Listed {
  readonly projectId: string;
  readonly limit?: number;
  readonly cursor?: string;
}

@Injectable()
export class Snapshots {
  constructor(private readonly reads: Reads) {}

  /** @throws Refusal snapshot-not-found, also if the snapshot belongs to another project */
  async one({ workspaceId }: OperationContext, projectId: string, id: string): Promise<Snapshot> {
    const found = await this.reads.get<Snapshot>(workspaceId, 'snapshots', id);
    return found?.projectId === projectId ? found : refuse('snapshot-not-found');
  }

  /** Counts from 1. */
  numberOf({ workspaceId, projectId, position }: Snapshot): Promise<number> {
    return this.reads.count(workspaceId, 'snapshots', { projectId, position: { gt: beforeContent, lte: position } });
  }

  async list({ workspaceId }: OperationContext, { projectId, limit = defaultLimit, cursor }: Listed) {
    const before = cursor === undefined ? undefined : snapshotCursorPosition(cursor);
    const found = await this.reads.find<Snapshot>(workspaceId, 'snapshots', {
      where: { projectId, ...(before === undefined ? {} : { position: { lt: before } }) },
      sort: [['position', 'desc']],
      limit: limit + 1,
    });
    const [newest] = found;
    const highest = newest === undefined ? 0 : await this.numberOf(newest);
    const page = new AnswerPage<SnapshotRow>(limit);
    for (let from = 0; from < found.length; from += stride) {
      const some = found.slice(from, from + stride);
      const named = await this.named(
        workspaceId,
        some.flatMap(({ files }) => files),
      );
      for (const [index, { id, label, kind, author, createdAt, files }] of some.entries()) {
        const changedFiles = files.map((file) => ({ ...named(file), change: file.change }));
        const row = { id, number: highest - from - index, label, kind, author, createdAt, changedFiles };
        if (!page.add(row)) return { snapshots: page.items, nextCursor: this.after(found[from + index - 1]) };
      }
    }
    return { snapshots: page.items, nextCursor: null };
  }

  async named(workspaceId: string, files: readonly ContentId[]): Promise<(file: ContentId) => RevertedFile> {
    const ids = [...new Set(files.map(({ id }) => id))];
    const found = new Map<string, ContentFile>();
    for (let from = 0; from < ids.length; from += 500) {
      const where = { id: { in: ids.slice(from, from + 500) } };
      const some = await this.reads.find<ContentFile>(workspaceId, 'contentFiles', { where });
      for (const file of some) found.set(file.id, file);
    }
    return ({ kind, id }) => ({ kind, id, name: found.get(id)?.name ?? '', path: found.get(id)?.path ?? null });
  }

  private after(last: Snapshot | undefined): string | null {
    return last === undefined ? null : cursorAt(last.position);
  }
}
