import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Changes that an attacker could make with access to the files of a stopped service, but without its keys. */
export class Tampering {
  constructor(private readonly dataDir: string) {}

  /** @param sql statement on the tables of the event store */
  run(sql: string, ...parameters: (string | number)[]): number {
    return this.open((database) => Number(database.prepare(sql).run(...parameters).changes));
  }

  one<Row>(sql: string, ...parameters: (string | number)[]): Row {
    return this.open((database) => database.prepare(sql).get(...parameters) as Row);
  }

  positionOf(type: string, stream = '%'): number {
    const sql =
      'SELECT max(position) AS position FROM events JOIN streams s ON s.id = stream_id WHERE type = ? AND s.name LIKE ?';
    return this.one<{ position: number }>(sql, type, stream).position;
  }

  private open<Result>(work: (database: DatabaseSync) => Result): Result {
    const database = new DatabaseSync(join(this.dataDir, 'events.db'));
    try {
      return work(database);
    } finally {
      database.close();
    }
  }
}
