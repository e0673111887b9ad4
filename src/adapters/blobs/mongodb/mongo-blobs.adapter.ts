import { BlobSealBroken, Blobs, BlobsUnavailable, mustBeBlobName, type SealedBlob } from '../../../ports/blobs.port.js';
import type { Clock } from '../../../ports/clock.port.js';
import { MongoConnection, type MongoOptions } from '../../mongodb/mongo-connection.js';
import { mongoErrorText } from '../../mongodb/mongo-errors.js';
import { Envelope } from '../../vault/envelope.js';
import { openBlob, sealBlob } from '../sealed-blob.js';
import { type BlobFile, BlobFiles } from './blob-files.js';

export interface MongoBlobsOptions extends MongoOptions {
  /** Master key of the vault, 32 bytes. */
  readonly masterKey: Uint8Array;
  readonly clock: Clock;
}

export class MongoBlobs extends Blobs {
  private readonly connection: MongoConnection;
  private readonly files: BlobFiles;
  private readonly envelope: Envelope;
  private readonly clock: Clock;

  constructor({ masterKey, clock, ...options }: MongoBlobsOptions) {
    super();
    this.envelope = new Envelope(masterKey);
    this.clock = clock;
    this.connection = new MongoConnection(options);
    this.files = new BlobFiles(this.connection);
  }

  override async put(name: string, value: Uint8Array): Promise<void> {
    mustBeBlobName(name);
    await this.store({ name, sealed: sealBlob(this.envelope, name, value), putAt: this.clock.now() });
  }

  override async open(name: string): Promise<Uint8Array | undefined> {
    mustBeBlobName(name);
    const blob = await this.reach(() => this.sealedBlob(name));
    return blob && openBlob(this.envelope, name, Buffer.from(blob.sealed));
  }

  override async destroy(name: string, { before }: Age = {}): Promise<void> {
    mustBeBlobName(name);
    // A put in progress is not affected, because its new file is still incomplete.
    await this.reach(() => this.files.removeAll({ $eq: name }, before));
  }

  override async names(folder: string, { before }: Age = {}): Promise<readonly string[]> {
    mustBeBlobName(folder);
    return this.reach(() => this.files.names(below(folder), before));
  }

  override async destroyAll(folder: string, { before }: Age = {}): Promise<void> {
    mustBeBlobName(folder);
    await this.reach(() => this.files.removeAll(below(folder), before));
  }

  override async *sealedBlobs(): AsyncIterable<SealedBlob> {
    for (let after = ''; ; ) {
      const next = await this.reach(() => this.files.nextName(after));
      if (next === undefined) return;
      after = next;
      const blob = await this.reach(() => this.sealedBlob(after));
      if (blob !== undefined) yield blob;
    }
  }

  override async putSealed(blob: SealedBlob): Promise<void> {
    mustBeBlobName(blob.name);
    openBlob(this.envelope, blob.name, Buffer.from(blob.sealed));
    await this.store(blob);
  }

  override async check(): Promise<void> {
    await this.reach(() => this.connection.mustBeReplicated());
  }

  override close(): Promise<void> {
    return this.connection.close();
  }

  /**
   * If chunks are missing, the name is looked up again, because a new file can have replaced the blob. If the look-up
   * finds the same file, its chunks are lost.
   * @throws BlobSealBroken
   */
  private async sealedBlob(name: string): Promise<SealedBlob | undefined> {
    for (let short: BlobFile | undefined; ; ) {
      const file = await this.files.newest(name);
      if (file === undefined) return undefined;
      const sealed = await this.files.bytes(file);
      if (sealed.length === file.length) {
        return { name, sealed, putAt: file.metadata.at ?? file.uploadDate.getTime() };
      }
      if (short?._id.equals(file._id)) {
        throw new BlobSealBroken(`The blob ${name} has lost a part of its bytes: restore it from a backup.`);
      }
      short = file;
    }
  }

  private async store({ name, sealed, putAt }: SealedBlob): Promise<void> {
    await this.reach(() => this.files.replace(name, sealed, putAt));
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

/** Matches all names in the folder: '0' is the character after '/'. */
const below = (folder: string) => ({ $gte: `${folder}/`, $lt: `${folder}0` });
