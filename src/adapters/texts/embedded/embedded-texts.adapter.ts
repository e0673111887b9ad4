import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type StoredText, TextsUnavailable } from '../../../ports/texts.port.js';
import { GroupCommit } from '../../sqlite/group-commit.js';
import { type DatabaseFile, openDatabase } from '../../sqlite/open-database.js';
import { sqliteErrorText } from '../../sqlite/sqlite-errors.js';
import { WriteTransaction } from '../../sqlite/write-transaction.js';
import { ChainedTexts, type TextRow } from '../chained-texts.js';

export interface EmbeddedTextsOptions {
  readonly directory: string;
  /** For tests that simulate a full disk. */
  readonly onOpen?: (database: DatabaseSync) => void;
}

const textsDatabase: Omit<DatabaseFile, 'directory'> = {
  name: 'texts.db',
  title: 'The store of texts',
  schemaVersion: 1,
  schema: `
    CREATE TABLE texts (
      id INTEGER PRIMARY KEY,
      workspace_id TEXT NOT NULL,
      digest TEXT NOT NULL,
      base TEXT,
      depth INTEGER NOT NULL,
      packed BLOB NOT NULL
    );
    CREATE UNIQUE INDEX texts_by_digest ON texts (workspace_id, digest);
    CREATE TABLE written (
      id INTEGER PRIMARY KEY CHECK (id = 1)
    );
    INSERT INTO written (id) VALUES (1);
  `,
};

/** Number of rows read at once. Small, because rows can be large. */
const pageSize = 16;

type Row = readonly [workspaceId: string, digest: string, base: string | null, depth: number, packed: Uint8Array];
const columns = 'workspace_id, digest, base, depth, packed';

/** Requests of the same turn of the event loop share one commit. */
export class EmbeddedTexts extends ChainedTexts {
  private readonly database: DatabaseSync;
  private readonly transaction: WriteTransaction;
  private readonly select: StatementSync;
  private readonly selectPage: StatementSync;
  private readonly insert: StatementSync;
  private readonly writes: GroupCommit<readonly TextRow[], void>;
  private closed = false;

  /** @throws TextsUnavailable */
  constructor({ directory, onOpen }: EmbeddedTextsOptions) {
    super();
    this.database = available(() => openDatabase({ ...textsDatabase, directory }));
    onOpen?.(this.database);
    this.transaction = new WriteTransaction(this.database);
    this.select = this.database.prepare(`SELECT ${columns} FROM texts WHERE workspace_id = ? AND digest = ?`);
    // Ordered by id, so that a base precedes the texts that use it.
    this.selectPage = this.database.prepare(
      `SELECT id, ${columns} FROM texts WHERE id > ? AND (?2 IS NULL OR workspace_id = ?2) ORDER BY id LIMIT ${pageSize}`,
    );
    this.insert = this.database.prepare(`INSERT OR IGNORE INTO texts (${columns}) VALUES (?, ?, ?, ?, ?)`);
    for (const statement of [this.select, this.selectPage]) statement.setReturnArrays(true);
    this.writes = new GroupCommit((works) => available(() => this.write(works)));
  }

  override async *storedTexts(workspaceId?: string): AsyncIterable<StoredText> {
    for (let after = 0; ; ) {
      this.mustBeOpen();
      const page = available(() => this.selectPage.all(after, workspaceId ?? null)) as unknown as [number, ...Row][];
      for (const [id, ...row] of page) {
        const { depth: _, ...text } = rowOf(row);
        yield text;
        after = id;
      }
      if (page.length < pageSize) return;
    }
  }

  override async check(): Promise<void> {
    this.mustBeOpen();
    available(() => this.transaction.run(() => this.database.exec('UPDATE written SET id = id')));
  }

  /** Commits pending requests first. Idempotent. */
  override async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.writes.flush();
    this.database.close();
  }

  protected override async rows(workspaceId: string, digests: readonly string[]): Promise<readonly TextRow[]> {
    this.mustBeOpen();
    const found = available(() => digests.map((digest) => this.select.get(workspaceId, digest)));
    return found.flatMap((row) => (row === undefined ? [] : [rowOf(row as unknown as Row)]));
  }

  protected override add(rows: readonly TextRow[]): Promise<void> {
    this.mustBeOpen();
    return this.writes.submit(rows);
  }

  private write(works: readonly (readonly TextRow[])[]): readonly PromiseSettledResult<void>[] {
    this.transaction.run(() => {
      for (const { workspaceId, digest, base, depth, packed } of works.flat()) {
        this.insert.run(workspaceId, digest, base, depth, packed);
      }
    });
    return works.map(() => ({ status: 'fulfilled', value: undefined }));
  }

  private mustBeOpen(): void {
    if (this.closed) throw new TextsUnavailable('The store of texts is closed: the service is stopping.');
  }
}

function rowOf([workspaceId, digest, base, depth, packed]: Row): TextRow {
  return { workspaceId, digest, base, depth, packed };
}

function available<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const trouble = sqliteErrorText(error);
    if (trouble === undefined) throw error;
    throw new TextsUnavailable(`The store of texts is not available: ${trouble}.`, { cause: error });
  }
}
