import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { parseStream } from '../../../kernel/stream-name.js';

export interface StreamHead {
  readonly id: number;
  readonly category: string;
  readonly workspaceId: string;
  /** Revision of the stream's last event, pruned or not. */
  readonly revision: number;
}

const remembered = 10_000;

/**
 * Where each stream stands. What one list of appends moves is kept apart until the list is sure, what a group moves
 * until the group is committed; only then is it remembered. Whoever learns that another process has written, or that
 * a group failed, must `forget`.
 */
export class StreamHeads {
  /** The one used longest ago first. */
  private readonly known = new Map<string, StreamHead>();
  private readonly movedByGroup = new Map<string, StreamHead>();
  private readonly movedByList = new Map<string, StreamHead>();
  private readonly select: StatementSync;
  private readonly insert: StatementSync;
  private readonly update: StatementSync;

  constructor(database: DatabaseSync) {
    this.select = database.prepare('SELECT id, category, workspace_id, revision FROM streams WHERE name = ?');
    this.select.setReturnArrays(true);
    this.insert = database.prepare('INSERT INTO streams (name, category, workspace_id, revision) VALUES (?, ?, ?, -1)');
    this.update = database.prepare('UPDATE streams SET revision = ? WHERE id = ?');
  }

  find(stream: string): StreamHead | undefined {
    return (
      this.movedByList.get(stream) ?? this.movedByGroup.get(stream) ?? this.known.get(stream) ?? this.stored(stream)
    );
  }

  create(stream: string): StreamHead {
    const { category, workspaceId } = parseStream(stream);
    const { lastInsertRowid } = this.insert.run(stream, category, workspaceId);
    return { id: Number(lastInsertRowid), category, workspaceId, revision: -1 };
  }

  move(stream: string, head: StreamHead): void {
    this.movedByList.set(stream, head);
  }

  keepList(): void {
    for (const [stream, head] of this.movedByList) this.movedByGroup.set(stream, head);
    this.movedByList.clear();
  }

  dropList(): void {
    this.movedByList.clear();
  }

  /** To be called inside the group's transaction: each stream is written once, however often the group moved it. */
  writeGroup(): void {
    for (const { id, revision } of this.movedByGroup.values()) this.update.run(revision, id);
  }

  /** To be called after the commit. */
  keepGroup(): void {
    for (const [stream, head] of this.movedByGroup) {
      this.known.delete(stream);
      this.known.set(stream, head);
    }
    this.movedByGroup.clear();
    for (const stream of this.known.keys()) {
      if (this.known.size <= remembered) break;
      this.known.delete(stream);
    }
  }

  forget(): void {
    this.known.clear();
    this.movedByGroup.clear();
    this.movedByList.clear();
  }

  private stored(stream: string): StreamHead | undefined {
    const row = this.select.get(stream) as unknown as [number, string, string, number] | undefined;
    return row && { id: row[0], category: row[1], workspaceId: row[2], revision: row[3] };
  }
}
