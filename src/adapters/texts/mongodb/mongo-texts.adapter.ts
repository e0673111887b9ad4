import { Binary, type Collection } from 'mongodb';
import { type StoredText, TextsUnavailable } from '../../../ports/texts.port.js';
import { buildIndexes } from '../../mongodb/index-builds.js';
import { MongoConnection, type MongoOptions } from '../../mongodb/mongo-connection.js';
import { isDuplicate, mongoErrorText } from '../../mongodb/mongo-errors.js';
import { ChainedTexts, type TextRow } from '../chained-texts.js';

interface Row {
  /** Has the form `<workspaceId>/<digest>`. */
  readonly _id: string;
  readonly base: string | null;
  readonly depth: number;
  readonly packed: Binary;
}

/** Number of rows read at once. Small, because rows can be large. */
const batchSize = 50;

export class MongoTexts extends ChainedTexts {
  private readonly connection: MongoConnection;
  private readonly texts: Collection<Row>;
  private prepared: Promise<void> | undefined;

  constructor(options: MongoOptions) {
    super();
    this.connection = new MongoConnection(options);
    const { database, maxTimeMS } = this.connection;
    // Acknowledged once a majority has the write on disk, regardless of the replica set's default.
    const durable = { writeConcern: { w: 'majority', journal: true, wtimeoutMS: maxTimeMS } } as const;
    this.texts = database.collection('texts', durable);
  }

  /** Ordered by depth, so that a base precedes the texts that use it. */
  override async *storedTexts(workspaceId?: string): AsyncIterable<StoredText> {
    await this.reach(() => this.prepare());
    try {
      // Matches all ids of a workspace: '0' is the character after '/'.
      const filter = workspaceId === undefined ? {} : { _id: { $gte: `${workspaceId}/`, $lt: `${workspaceId}0` } };
      const { session } = this.connection.reads;
      for await (const row of this.texts.find(filter, { sort: { depth: 1, _id: 1 }, batchSize, session })) {
        const { depth: _, ...text } = rowOf(row);
        yield text;
      }
    } catch (error) {
      throw asUnavailable(error);
    }
  }

  override check(): Promise<void> {
    return this.reach(() => this.prepare());
  }

  override close(): Promise<void> {
    return this.connection.close();
  }

  protected override async rows(workspaceId: string, digests: readonly string[]): Promise<readonly TextRow[]> {
    const ids = digests.map((digest) => `${workspaceId}/${digest}`);
    const found = this.reach(() => this.texts.find({ _id: { $in: ids } }, this.connection.reads).toArray());
    return (await found).map(rowOf);
  }

  protected override async add(rows: readonly TextRow[]): Promise<void> {
    await this.reach(async () => {
      await this.prepare();
      for (const { workspaceId, digest, base, depth, packed } of rows) {
        const row: Row = { _id: `${workspaceId}/${digest}`, base, depth, packed: new Binary(packed) };
        const { maxTimeMS } = this.connection;
        await this.connection
          .write((session) => this.texts.insertOne(row, { session, maxTimeMS }))
          .catch(passIfDuplicate);
      }
    });
  }

  private prepare(): Promise<void> {
    this.prepared ??= this.prepareOnce().catch((error: unknown) => {
      this.prepared = undefined;
      throw error;
    });
    return this.prepared;
  }

  private async prepareOnce(): Promise<void> {
    await this.connection.mustBeReplicated();
    const byDepth = { name: 'depth', key: { depth: 1, _id: 1 } } as const;
    await buildIndexes(this.connection, this.texts.collectionName, [byDepth]);
  }

  private async reach<T>(work: () => Promise<T>): Promise<T> {
    if (this.connection.closed) throw new TextsUnavailable('The store of texts is closed: the service is stopping.');
    try {
      return await work();
    } catch (error) {
      throw asUnavailable(error);
    }
  }
}

function rowOf({ _id, base, depth, packed }: Row): TextRow {
  const slash = _id.lastIndexOf('/');
  return { workspaceId: _id.slice(0, slash), digest: _id.slice(slash + 1), base, depth, packed: bytesOf(packed) };
}

/** Depending on the connection, the driver returns a Buffer or wraps the bytes. */
function bytesOf(value: Binary | Uint8Array): Uint8Array {
  return value instanceof Binary ? value.buffer.subarray(0, value.position) : value;
}

function passIfDuplicate(error: unknown): void {
  if (!isDuplicate(error)) throw error;
}

function asUnavailable(error: unknown): unknown {
  const trouble = mongoErrorText(error);
  if (trouble === undefined) return error;
  return new TextsUnavailable(`The store of texts is not available: ${trouble}.`, { cause: error });
}
