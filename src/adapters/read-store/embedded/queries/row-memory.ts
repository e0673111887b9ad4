import type { DatabaseSync } from 'node:sqlite';
import { ChangeCount } from '../../../sqlite/change-count.js';

type Rows = readonly string[];

const most = { answers: 1_000, characters: 4_000_000, ofAnswer: 256_000 };

/**
 * What was read a moment ago, because the same few documents are read for every call: a key, a member, a webhook, its
 * function. All of it is forgotten whenever anybody has written to the file, so it is never older than the file. Kept as
 * texts: each reader gets documents of its own.
 */
export class RowMemory {
  private readonly answers = new Map<string, Rows>();
  private characters = 0;
  private seen = -1;
  private readonly changes: ChangeCount;

  constructor(database: DatabaseSync) {
    this.changes = new ChangeCount(database);
  }

  /** Grows with every write to the file. */
  version(): number {
    return this.changes.now();
  }

  /** @param name what is asked, without ambiguity */
  of(name: string, read: () => Rows): Rows {
    const changes = this.changes.now();
    if (changes !== this.seen) this.clear();
    this.seen = changes;
    const known = this.answers.get(name);
    if (known !== undefined) return known;
    const rows = read();
    this.keep(name, rows);
    return rows;
  }

  /** Call after every write of this process, by whichever connection, before anybody hears that it is done. */
  forget(): void {
    this.changes.written();
    this.clear();
  }

  private clear(): void {
    this.answers.clear();
    this.characters = 0;
  }

  private keep(name: string, rows: Rows): void {
    const characters = rows.reduce((sum, row) => sum + row.length, name.length);
    if (characters > most.ofAnswer) return;
    if (this.answers.size >= most.answers || this.characters + characters > most.characters) this.clear();
    this.characters += characters;
    this.answers.set(name, rows);
  }
}
