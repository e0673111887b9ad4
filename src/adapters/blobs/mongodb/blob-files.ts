import { Binary, type Collection, type Condition, type Filter, ObjectId } from 'mongodb';
import { buildIndexes } from '../../mongodb/index-builds.js';
import type { MongoConnection } from '../../mongodb/mongo-connection.js';

export interface BlobFile {
  readonly _id: ObjectId;
  readonly filename: string;
  readonly length: number;
  readonly chunkSize: number;
  readonly uploadDate: Date;
  readonly metadata: {
    readonly at?: number;
    /** `coming` while the file is being written, `leaving` while it is being removed, absent if it is complete. */
    readonly state?: 'coming' | 'leaving';
  };
}

interface Chunk {
  readonly _id: ObjectId;
  readonly files_id: ObjectId;
  readonly n: number;
  readonly data: Binary;
}

const chunkSize = 255 * 1024;
/** Chunks per insert, together about two megabytes. */
const chunksAtOnce = 8;
const filesAtOnce = 100;
const abandonedAfterMs = 24 * 60 * 60 * 1_000;

const whole = { 'metadata.state': { $exists: false } };

/**
 * The file document is written before its chunks, removed after them, and marked as incomplete in between. So
 * everything that a crash leaves behind can be found and removed.
 */
export class BlobFiles {
  private readonly files: Collection<BlobFile>;
  private readonly chunks: Collection<Chunk>;
  private prepared: Promise<void> | undefined;

  constructor(private readonly connection: MongoConnection) {
    const { database, maxTimeMS } = connection;
    // Overrides the replica set's default, which can be weaker.
    const durable = { writeConcern: { w: 'majority', journal: true, wtimeoutMS: maxTimeMS } } as const;
    this.files = database.collection('blobs.files', durable);
    this.chunks = database.collection('blobs.chunks', durable);
  }

  private get session() {
    return this.connection.reads.session;
  }

  /** A name has several complete files while its blob is being replaced. */
  async newest(name: string): Promise<BlobFile | undefined> {
    const filter: Filter<BlobFile> = { filename: { $eq: name }, ...whole };
    return (
      (await this.files.findOne(filter, { sort: { uploadDate: -1, _id: -1 }, session: this.session })) ?? undefined
    );
  }

  async bytes({ _id }: BlobFile): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    const options = { sort: { n: 1 }, session: this.session } as const;
    for await (const { data } of this.chunks.find({ files_id: { $eq: _id } }, options)) parts.push(bytesOf(data));
    return Buffer.concat(parts);
  }

  async names(filename: Condition<string>, before: number | undefined): Promise<readonly string[]> {
    const filter = { filename, ...whole, ...olderThan(before) } as Filter<BlobFile>;
    const found = await this.files.find(filter, { session: this.session }).toArray();
    return [...new Set(found.map((file) => file.filename))];
  }

  async nextName(after: string): Promise<string | undefined> {
    const filter: Filter<BlobFile> = { filename: { $gt: after }, ...whole };
    return (await this.files.findOne(filter, { sort: { filename: 1 }, session: this.session }))?.filename;
  }

  async replace(filename: string, bytes: Uint8Array, at: number): Promise<void> {
    await this.prepare();
    const filter = { filename: { $eq: filename }, ...whole } as Filter<BlobFile>;
    const former = await this.files.find(filter, { session: this.session }).toArray();
    await this.add(filename, bytes, at);
    for (const { _id } of former) await this.remove(_id);
  }

  async removeAll(filename: Condition<string>, before: number | undefined): Promise<void> {
    const filter = {
      filename,
      $or: [{ ...whole, ...olderThan(before) }, { 'metadata.state': { $eq: 'leaving' } }],
    } as Filter<BlobFile>;
    await this.removeEach(filter);
  }

  private async add(filename: string, bytes: Uint8Array, at: number): Promise<void> {
    const _id = new ObjectId();
    const metadata = { at, state: 'coming' } as const;
    try {
      await this.files.insertOne({ _id, filename, length: bytes.length, chunkSize, uploadDate: new Date(), metadata });
      const step = chunkSize * chunksAtOnce;
      for (let from = 0; from < bytes.length; from += step) {
        await this.chunks.insertMany(chunksOf(_id, bytes, from, Math.min(from + step, bytes.length)));
      }
      // Written last, so a reader that sees the file as complete also sees its chunks.
      await this.connection.write((session) =>
        this.files.updateOne({ _id: { $eq: _id } }, { $unset: { 'metadata.state': true } }, { session }),
      );
    } catch (error) {
      // If MongoDB is unavailable, this removal fails too, and `prepareOnce` later removes the abandoned file.
      await this.remove(_id).catch(() => {});
      throw error;
    }
  }

  private async removeEach(filter: Filter<BlobFile>): Promise<void> {
    for (;;) {
      const found = await this.files.find(filter, { limit: filesAtOnce, session: this.session }).toArray();
      if (found.length === 0) return;
      for (const { _id } of found) await this.remove(_id);
    }
  }

  /** Idempotent and safe while other processes do the same. */
  private async remove(id: ObjectId): Promise<void> {
    await this.connection.write((session) =>
      this.files.updateOne({ _id: { $eq: id } }, { $set: { 'metadata.state': 'leaving' } }, { session }),
    );
    await this.chunks.deleteMany({ files_id: { $eq: id } });
    await this.connection.write((session) => this.files.deleteOne({ _id: { $eq: id } }, { session }));
  }

  private prepare(): Promise<void> {
    this.prepared ??= this.prepareOnce().catch((error: unknown) => {
      this.prepared = undefined;
      throw error;
    });
    return this.prepared;
  }

  /** The indexes have the names that the driver uses for GridFS. */
  private async prepareOnce(): Promise<void> {
    await this.connection.mustBeReplicated();
    const byName = { name: 'filename_1_uploadDate_1', key: { filename: 1, uploadDate: 1 } } as const;
    const byState = { name: 'state', key: { 'metadata.state': 1 }, sparse: true } as const;
    const inOrder = { name: 'files_id_1_n_1', key: { files_id: 1, n: 1 }, unique: true } as const;
    await buildIndexes(this.connection, this.files.collectionName, [byName, byState]);
    await buildIndexes(this.connection, this.chunks.collectionName, [inOrder]);
    const abandoned = {
      'metadata.state': { $eq: 'coming' },
      uploadDate: { $lt: new Date(Date.now() - abandonedAfterMs) },
    };
    await this.removeEach(abandoned as Filter<BlobFile>);
    await this.removeEach({ 'metadata.state': { $eq: 'leaving' } } as Filter<BlobFile>);
  }
}

function chunksOf(file: ObjectId, bytes: Uint8Array, from: number, to: number): Chunk[] {
  return Array.from({ length: Math.ceil((to - from) / chunkSize) }, (_, at) => {
    const start = from + at * chunkSize;
    const data = new Binary(bytes.subarray(start, Math.min(start + chunkSize, to)));
    return { _id: new ObjectId(), files_id: file, n: start / chunkSize, data };
  });
}

const olderThan = (before: number | undefined) => (before === undefined ? {} : { 'metadata.at': { $lt: before } });

/** Depending on the connection, the driver returns a Buffer or wraps the bytes. */
function bytesOf(value: Binary | Uint8Array): Uint8Array {
  return value instanceof Binary ? value.buffer.subarray(0, value.position) : value;
}
