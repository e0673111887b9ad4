import type { DatabaseSync } from 'node:sqlite';
import { ChangeCount } from '../../../sqlite/change-count.js';

type Rows = readonly string[];

const most = { answers: 1_000, characters: 4_000_000, ofAnswer: 256_000 };

/**
 * Any write to the file, by any process, empties the cache, so it never returns stale rows. Rows are cached as text, so
 * each reader gets its own objects.
 */
export class RowMemory {
  private readonly answers = new Map<string, Rows>();
  private characters = 0;
  private seen = -1;
  private readonly changes: ChangeCount;

  constructor(database: DatabaseSync) {
    this.changes = new ChangeCount(database);
  }

  version(): number {
    return this.changes.now();
  }

  /** @param name must be unique to the query */
  cached(name: string, read: () => Rows): Rows {
    const changes = this.changes.now();
    if (changes !== this.seen) this.clear();
    this.seen = changes;
    const known = this.answers.get(name);
    if (known !== undefined) return known;
    const rows = read();
    this.store(name, rows);
    return rows;
  }

  /** Must be called after every write of this process, over any connection, before the write is reported as done. */
  forget(): void {
    this.changes.written();
    this.clear();
  }

  private clear(): void {
    this.answers.clear();
    this.characters = 0;
  }

  private store(name: string, rows: Rows): void {
    const characters = rows.reduce((sum, row) => sum + row.length, name.length);
    if (characters > most.ofAnswer) return;
    if (this.answers.size >= most.answers || this.characters + characters > most.characters) this.clear();
    this.characters += characters;
    this.answers.set(name, rows);
  }
}
