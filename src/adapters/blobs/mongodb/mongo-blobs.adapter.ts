import { GridFSBucket, type GridFSFile } from 'mongodb';
import { Blobs, BlobsUnavailable, mustBeBlobName, type SealedBlob } from '../../../ports/blobs.port.js';
import type { Clock } from '../../../ports/clock.port.js';
import { MongoConnection, type MongoOptions } from '../../mongodb/mongo-connection.js';
import { mongoErrorText } from '../../mongodb/mongo-errors.js';
import { Envelope } from '../../vault/envelope.js';
import { openBlob, sealBlob } from '../sealed-blob.js';

export interface MongoBlobsOptions extends MongoOptions {
  /** 32 bytes, the vault's. */
  readonly masterKey: Uint8Array;
  readonly clock: Clock;
}

/** GridFS: the chunks are written first, then the file document that names them. */
export class MongoBlobs extends Blobs {
  private readonly connection: MongoConnection;
  private readonly bucket: GridFSBucket;
  private readonly envelope: Envelope;
  private readonly clock: Clock;

  constructor({ masterKey, clock, ...options }: MongoBlobsOptions) {
    super();
    this.envelope = new Envelope(masterKey);
    this.clock = clock;
    this.connection = new MongoConnection(options);
    const { database, maxTimeMS } = this.connection;
    // Acknowledged when a majority has it on disk, whatever the replica set's default is.
    const writeConcern = { w: 'majority', journal: true, wtimeoutMS: maxTimeMS } as const;
    this.bucket = new GridFSBucket(database, { bucketName: 'blobs', writeConcern });
  }

  override async put(name: string, value: Uint8Array): Promise<void> {
    mustBeBlobName(name);
    await this.keep({ name, sealed: sealBlob(this.envelope, name, value), putAt: this.clock.now() });
  }

  override async open(name: string): Promise<Uint8Array | undefined> {
    mustBeBlobName(name);
    const blob = await this.reach(async () => {
      const [file] = await this.named(name);
      return file && this.download(file);
    });
    return blob && openBlob(this.envelope, name, blob);
  }

  override async destroy(name: string, { before }: Age = {}): Promise<void> {
    mustBeBlobName(name);
    await this.reach(async () => {
      // A put makes a new file, so that what is found here is not what is put meanwhile.
      for await (const { _id } of this.bucket.find({ filename: { $eq: name }, ...olderThan(before) }))
        await this.remove(_id);
    });
  }

  override async names(folder: string, { before }: Age = {}): Promise<readonly string[]> {
    mustBeBlobName(folder);
    const found = await this.reach(() => this.bucket.find({ filename: below(folder), ...olderThan(before) }).toArray());
    return [...new Set(found.map(({ filename }) => filename))];
  }

  override async destroyAll(folder: string, { before }: Age = {}): Promise<void> {
    mustBeBlobName(folder);
    await this.reach(async () => {
      for await (const { _id } of this.bucket.find({ filename: below(folder), ...olderThan(before) }))
        await this.remove(_id);
    });
  }

  override async *sealedBlobs(): AsyncIterable<SealedBlob> {
    for (let after = ''; ; ) {
      const [next] = await this.reach(() => this.first(after));
      if (next === undefined) return;
      after = next.filename;
      const blob = await this.reach(() => this.sealedBlob(after));
      if (blob !== undefined) yield blob;
    }
  }

  override async putSealed(blob: SealedBlob): Promise<void> {
    mustBeBlobName(blob.name);
    openBlob(this.envelope, blob.name, Buffer.from(blob.sealed));
    await this.keep(blob);
  }

  override async check(): Promise<void> {
    await this.reach(() => this.connection.mustBeReplicated());
  }

  override close(): Promise<void> {
    return this.connection.close();
  }

  /** Newest first: while a put replaces a blob, both exist for a moment. */
  private named(name: string): Promise<GridFSFile[]> {
    return this.bucket.find({ filename: { $eq: name } }, { sort: { uploadDate: -1, _id: -1 } }).toArray();
  }

  private first(after: string): Promise<GridFSFile[]> {
    return this.bucket.find({ filename: { $gt: after } }, { sort: { filename: 1 }, limit: 1 }).toArray();
  }

  /** Undefined when it was destroyed meanwhile. */
  private async sealedBlob(name: string): Promise<SealedBlob | undefined> {
    const [file] = await this.named(name);
    if (file === undefined) return undefined;
    const { at = file.uploadDate.getTime() } = (file.metadata ?? {}) as { readonly at?: number };
    const sealed = await this.download(file).catch(undefinedIfGone);
    return sealed && { name, sealed, putAt: at };
  }

  private async keep(blob: SealedBlob): Promise<void> {
    await this.reach(async () => {
      await this.connection.mustBeReplicated();
      const before = await this.named(blob.name);
      await this.upload(blob);
      for (const { _id } of before) await this.remove(_id);
    });
  }

  private async upload({ name, sealed, putAt }: SealedBlob): Promise<void> {
    const upload = this.bucket.openUploadStream(name, { metadata: { at: putAt } });
    await new Promise<void>((resolve, reject) => {
      upload.once('finish', resolve).once('error', reject).end(sealed);
    });
  }

  private async download({ _id }: GridFSFile): Promise<Buffer | undefined> {
    const chunks: Buffer[] = [];
    for await (const chunk of this.bucket.openDownloadStream(_id)) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  }

  /** Another process may have removed it meanwhile. */
  private async remove(id: GridFSFile['_id']): Promise<void> {
    await this.bucket.delete(id).catch(undefinedIfGone);
  }

  private async reach<T>(work: () => Promise<T>): Promise<T> {
    if (this.connection.closed) throw new BlobsUnavailable('The blobs are closed: the service is stopping.');
    try {
      return await work();
    } catch (error) {
      const trouble = mongoErrorText(error);
      if (trouble === undefined) throw error;
      throw new BlobsUnavailable(`The blobs are not available: ${trouble}.`, { cause: error });
    }
  }
}

interface Age {
  readonly before?: number;
}

const olderThan = (before: number | undefined) => (before === undefined ? {} : { 'metadata.at': { $lt: before } });
/** All names with this prefix: '0' is the character after '/'. */
const below = (folder: string) => ({ $gte: `${folder}/`, $lt: `${folder}0` });

function undefinedIfGone(error: unknown): undefined {
  if (!(error instanceof Error && /^(File not found|FileNotFound)/.test(error.message))) throw error;
  return undefined;
}
