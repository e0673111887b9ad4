import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { Collection, FindCursor } from 'mongodb';
import type { JsonObject } from '../../../kernel/json/json.js';
import { reasonOf } from '../../../kernel/reason.js';
import { throttledLog } from '../../../kernel/throttled-log.js';
import { Broadcast, BroadcastUnavailable, type Listener } from '../../../ports/broadcast.port.js';
import { MongoConnection, type MongoOptions } from '../../mongodb/mongo-connection.js';
import { isThere, mongoErrorText } from '../../mongodb/mongo-errors.js';
import { Batches } from '../batches.js';

interface BroadcastDocument {
  readonly _id: string;
  readonly log: string;
  /** Absent in a document that a listener inserts only to mark the position at which it begins. */
  readonly message?: JsonObject;
}

/** Size of the capped collection, in bytes. */
const retainedBytes = 16 * 1024 * 1024;
const awaitedMs = 1_000;
const pausesMs = [100, 300, 1_000, 3_000];

/** Used if processes share MongoDB and there is no Kafka. Delivers only messages that a majority has acknowledged. */
export class MongoBroadcast extends Broadcast {
  override readonly isShared = true;
  private readonly log = throttledLog((sentence) => new Logger('Broadcast').warn(sentence));
  private readonly connection: MongoConnection;
  private readonly documents: Collection<BroadcastDocument>;
  private readonly process = randomUUID();
  private readonly batches: Batches<JsonObject>;
  private ofLog = '';
  private number = 0;
  private making: Promise<void> | undefined;
  private reading: Promise<void> | undefined;
  private trouble: string | undefined = 'This process is not listening yet.';
  private last: string | undefined;
  private closed = false;

  constructor(options: MongoOptions) {
    super();
    this.connection = new MongoConnection(options);
    this.documents = this.connection.collection<BroadcastDocument>('broadcast');
    this.batches = new Batches((messages) => this.send(messages));
  }

  override belongTo(log: string): void {
    this.ofLog = log;
  }

  override publish(message: JsonObject): Promise<void> {
    if (this.closed) return Promise.reject(new BroadcastUnavailable('Broadcasting is closed.'));
    return this.batches.add(message);
  }

  override async listen(listener: Listener): Promise<void> {
    if (this.reading !== undefined) throw new Error('This process is already listening.');
    const begun = Promise.withResolvers<void>();
    this.reading = this.read(listener, begun.resolve);
    await begun.promise;
  }

  override async check(): Promise<void> {
    if (this.closed) throw new BroadcastUnavailable('Broadcasting is closed.');
    if (this.trouble !== undefined) throw new BroadcastUnavailable(this.trouble);
  }

  override async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.batches.settled();
    await this.connection.close();
    await this.reading;
  }

  private async send(messages: readonly JsonObject[]): Promise<void> {
    try {
      await this.made();
      await this.documents.insertMany(messages.map((message) => this.document(message)));
    } catch (error) {
      throw new BroadcastUnavailable(
        `The messages could not be broadcast: ${mongoErrorText(error) ?? reasonOf(error)}.`,
      );
    }
  }

  private document(message?: JsonObject): BroadcastDocument {
    this.number += 1;
    const _id = `${this.process}/${this.number}`;
    return { _id, log: this.ofLog, ...(message === undefined ? {} : { message }) };
  }

  private made(): Promise<void> {
    this.making ??= this.make().catch((error: unknown) => {
      this.making = undefined;
      throw error;
    });
    return this.making;
  }

  private async make(): Promise<void> {
    await this.connection.mustBeReplicated();
    try {
      await this.connection.database.createCollection('broadcast', { capped: true, size: retainedBytes });
    } catch (error) {
      if (!isThere(error)) throw error;
    }
  }

  /** Calls `begun` whenever it begins to listen, when an attempt fails, and on close. */
  private async read(listener: Listener, begun: () => void): Promise<void> {
    for (let failures = 0; !this.closed; ) {
      try {
        await this.follow(listener, () => {
          failures = 0;
          begun();
        });
      } catch (error) {
        if (this.closed) break;
        this.trouble = `This process does not receive broadcasts from other processes: ${mongoErrorText(error) ?? reasonOf(error)}.`;
        this.log(this.trouble);
      }
      begun();
      await pause(pausesMs[Math.min(failures, pausesMs.length - 1)], undefined, { ref: false });
      failures += 1;
    }
    begun();
  }

  private async follow(listener: Listener, begun: () => void): Promise<void> {
    await this.made();
    const mark = this.document();
    await this.documents.insertOne(mark);
    const from = this.last;
    const cursor = this.documents.find(
      {},
      { tailable: true, awaitData: true, maxAwaitTimeMS: awaitedMs, batchSize: 1_000 },
    );
    let isHeard = false;
    try {
      for (;;) {
        const document = await nextOf(cursor);
        if (this.closed) return;
        if (document === undefined) {
          if (cursor.closed) return;
          continue;
        }
        if (isHeard) this.hear(listener, document);
        else if (document._id === from) isHeard = true;
        if (document._id !== mark._id) continue;
        // `from` is the last document that this listener has read. If the cursor reaches `mark` without passing it, the
        // collection has already dropped it.
        if (!isHeard && from !== undefined) listener.lapsed();
        isHeard = true;
        this.last = document._id;
        this.trouble = undefined;
        begun();
      }
    } finally {
      await cursor.close().catch(() => undefined);
    }
  }

  private hear(listener: Listener, { _id, log, message }: BroadcastDocument): void {
    this.last = _id;
    if (message !== undefined && log === this.ofLog) listener.heard(message);
  }
}

const nextOf = async (cursor: FindCursor<BroadcastDocument>): Promise<BroadcastDocument | undefined> =>
  (await cursor.tryNext()) ?? undefined;
