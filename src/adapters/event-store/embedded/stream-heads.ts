import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { parseStream } from '../../../kernel/event/stream-name.js';

export interface StreamHead {
  readonly id: number;
  readonly category: string;
  readonly workspaceId: string;
  /** The stream's last revision, even if that event has been pruned. */
  readonly revision: number;
  readonly isNew?: true;
}

const mostCached = 10_000;

/**
 * The changes of a group of appends enter the cache once their transaction has been committed. `forget` must be called
 * after a failed transaction or a write by another process.
 */
export class StreamHeads {
  private readonly known = new Map<string, StreamHead>();
  private readonly movedByGroup = new Map<string, StreamHead>();
  private readonly movedByList = new Map<string, StreamHead>();
  private readonly select: StatementSync;
  private readonly insert: StatementSync;
  private readonly update: StatementSync;
  private readonly highest: StatementSync;
  private lastId: number | undefined;

  constructor(database: DatabaseSync) {
    this.select = database.prepare('SELECT id, category, workspace_id, revision FROM streams WHERE name = ?');
    this.select.setReturnArrays(true);
    this.insert = database.prepare(
      'INSERT INTO streams (id, name, category, workspace_id, revision) VALUES (?, ?, ?, ?, ?)',
    );
    this.highest = database.prepare('SELECT coalesce(max(id), 0) FROM streams');
    this.highest.setReturnArrays(true);
    this.update = database.prepare('UPDATE streams SET revision = ? WHERE id = ?');
  }

  find(stream: string): StreamHead | undefined {
    return (
      this.movedByList.get(stream) ?? this.movedByGroup.get(stream) ?? this.known.get(stream) ?? this.stored(stream)
    );
  }

  create(stream: string): StreamHead {
    const { category, workspaceId } = parseStream(stream);
    this.lastId = (this.lastId ?? this.highestStored()) + 1;
    return { id: this.lastId, category, workspaceId, revision: -1, isNew: true };
  }

  move(stream: string, head: StreamHead): void {
    this.movedByList.set(stream, head);
  }

  applyList(): void {
    for (const [stream, head] of this.movedByList) this.movedByGroup.set(stream, head);
    this.movedByList.clear();
  }

  dropList(): void {
    this.movedByList.clear();
  }

  writeGroup(): void {
    for (const [name, { id, category, workspaceId, revision, isNew }] of this.movedByGroup) {
      if (isNew) this.insert.run(id, name, category, workspaceId, revision);
      else this.update.run(revision, id);
    }
  }

  /** Must be called after the group's transaction has been committed. */
  cacheGroup(): void {
    for (const [stream, head] of this.movedByGroup) {
      const { isNew: _, ...stored } = head;
      this.known.delete(stream);
      this.known.set(stream, stored);
    }
    this.movedByGroup.clear();
    for (const stream of this.known.keys()) {
      if (this.known.size <= mostCached) break;
      this.known.delete(stream);
    }
  }

  forget(): void {
    this.lastId = undefined;
    this.known.clear();
    this.movedByGroup.clear();
    this.movedByList.clear();
  }

  private highestStored(): number {
    return (this.highest.get() as unknown as readonly [number])[0];
  }

  private stored(stream: string): StreamHead | undefined {
    const row = this.select.get(stream) as unknown as [number, string, string, number] | undefined;
    return row && { id: row[0], category: row[1], workspaceId: row[2], revision: row[3] };
  }
}
