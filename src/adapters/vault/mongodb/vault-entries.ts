import { timingSafeEqual } from 'node:crypto';
import { Binary, type Collection } from 'mongodb';
import { type SealedEntry, VaultSealBroken } from '../../../ports/vault.port.js';
import { buildIndexes } from '../../mongodb/index-builds.js';
import type { MongoConnection } from '../../mongodb/mongo-connection.js';
import { falseIfDuplicate, isDuplicate } from '../../mongodb/mongo-errors.js';
import type { CausalOptions } from '../../mongodb/mongo-sessions.js';
import type { Sealed } from '../envelope.js';

export interface Entry extends Sealed {
  /** Time of expiry, in milliseconds since 1970. */
  readonly expiresAt?: number | undefined;
}

/** Names are stored in plain text, because they contain no secrets. */
interface Row {
  readonly _id: string;
  readonly sealedKey: Binary;
  readonly sealedValue: Binary;
  readonly expiresAt?: Date;
}

interface Master {
  readonly _id: 'key';
  readonly keyCheck: Binary;
}

/**
 * MongoDB removes an entry this many seconds after its expiry, by MongoDB's own clock. This only cleans up, because the
 * service's clock decides whether an entry has expired. The hour protects entries if MongoDB's clock is ahead.
 */
const broomAfterSeconds = 3_600;
/** Number of entries read at once. Small, because entries can be large. */
const batchSize = 100;
/** The latest time that a Date can represent. An entry with a later time of expiry never expires. */
const lastMoment = 8.64e15;

export class VaultEntries {
  private readonly rows: Collection<Row>;
  private readonly masters: Collection<Master>;
  private readonly maxTimeMS: number;

  constructor(private readonly connection: MongoConnection) {
    const { database, maxTimeMS } = connection;
    // Acknowledged once a majority has the write on disk, regardless of the replica set's default.
    const durable = { writeConcern: { w: 'majority', journal: true, wtimeoutMS: maxTimeMS } } as const;
    this.rows = database.collection('vault', durable);
    this.masters = database.collection('vault_master', durable);
    this.maxTimeMS = maxTimeMS;
  }

  async prepare(): Promise<void> {
    const byExpiry = { name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: broomAfterSeconds } as const;
    await buildIndexes(this.connection, this.rows.collectionName, [byExpiry]);
  }

  /** @throws VaultSealBroken if the vault belongs to another key */
  async mustBelongTo(keyCheck: Uint8Array): Promise<void> {
    const first = { $setOnInsert: { keyCheck: new Binary(keyCheck) } };
    // If two processes open an empty vault at the same time, the second insert fails.
    const begun = this.write((options) => this.masters.updateOne({ _id: 'key' }, first, { ...options, upsert: true }));
    await begun.catch(passIfDuplicate);
    const stored = await this.masters.findOne({ _id: 'key' }, this.connection.reads);
    if (stored !== null && equal(bytesOf(stored.keyCheck), keyCheck)) return;
    throw new VaultSealBroken('The vault was sealed with another master key: start with that key.');
  }

  async get(name: string): Promise<Entry | undefined> {
    const row = await this.rows.findOne({ _id: { $eq: name } }, this.connection.reads);
    return row === null ? undefined : entryOf(row);
  }

  /** Ordered by name. Without a time limit, because MongoDB would apply it to all batches of the cursor together. */
  async *all(now: number): AsyncIterable<SealedEntry> {
    const { session } = this.connection.reads;
    for await (const row of this.rows.find({}, { sort: { _id: 1 }, batchSize, session })) {
      yield* unexpired(row, now);
    }
  }

  async named(names: readonly string[], now: number): Promise<readonly SealedEntry[]> {
    const rows = await this.rows.find(
      { _id: { $in: [...names] } },
      { ...this.connection.reads, batchSize: names.length },
    );
    return (await rows.toArray()).flatMap((row) => unexpired(row, now));
  }

  async put(name: string, entry: Entry): Promise<void> {
    const filter = { _id: { $eq: name } };
    await this.write((options) => this.rows.replaceOne(filter, rowOf(entry), { ...options, upsert: true }));
  }

  /**
   * Resolves to false if there is an unexpired entry. The filter does not match it, so the upsert tries to insert and
   * fails as a duplicate.
   */
  async putIfAbsent(name: string, entry: Entry, now: number): Promise<boolean> {
    const expired = { _id: { $eq: name }, expiresAt: { $lte: new Date(now) } };
    const put = this.write((options) => this.rows.replaceOne(expired, rowOf(entry), { ...options, upsert: true }));
    return put.then(() => true, falseIfDuplicate);
  }

  /** Resolves to false if there is no unexpired entry of this name. */
  async makePermanent(name: string, now: number): Promise<boolean> {
    const unexpired = {
      _id: { $eq: name },
      $or: [{ expiresAt: { $exists: false } }, { expiresAt: { $gt: new Date(now) } }],
    };
    const updated = await this.write((options) =>
      this.rows.updateOne(unexpired, { $unset: { expiresAt: true } }, options),
    );
    return updated.matchedCount === 1;
  }

  async delete(name: string): Promise<void> {
    await this.write((options) => this.rows.deleteOne({ _id: { $eq: name } }, options));
  }

  async deleteExpired(now: number): Promise<number> {
    const expired = { expiresAt: { $lte: new Date(now) } };
    return (await this.write((options) => this.rows.deleteMany(expired, options))).deletedCount;
  }

  private write<T>(work: (options: CausalOptions) => Promise<T>): Promise<T> {
    return this.connection.write((session) => work({ session, maxTimeMS: this.maxTimeMS }));
  }

  async tryToWrite(): Promise<void> {
    await this.masters.updateOne({ _id: 'key' }, { $set: { checkedAt: new Date() } }, { maxTimeMS: this.maxTimeMS });
  }
}

function entryOf({ sealedKey, sealedValue, expiresAt }: Row): Entry {
  return { sealedKey: bytesOf(sealedKey), sealedValue: bytesOf(sealedValue), expiresAt: expiresAt?.getTime() };
}

function unexpired(row: Row, now: number): readonly SealedEntry[] {
  const { sealedKey, sealedValue, expiresAt } = entryOf(row);
  if (expiresAt === undefined) return [{ name: row._id, sealedKey, sealedValue }];
  return expiresAt <= now ? [] : [{ name: row._id, sealedKey, sealedValue, expiresAt }];
}

function rowOf({ sealedKey, sealedValue, expiresAt }: Entry): Omit<Row, '_id'> {
  const expiry = expiresAt === undefined || expiresAt > lastMoment ? {} : { expiresAt: new Date(expiresAt) };
  return { sealedKey: new Binary(sealedKey), sealedValue: new Binary(sealedValue), ...expiry };
}

/** Depending on the connection, the driver returns a Buffer or wraps the bytes. */
function bytesOf(value: Binary | Uint8Array): Uint8Array {
  return value instanceof Binary ? value.buffer.subarray(0, value.position) : value;
}

const equal = (a: Uint8Array, b: Uint8Array) => a.length === b.length && timingSafeEqual(a, b);

function passIfDuplicate(error: unknown): void {
  if (!isDuplicate(error)) throw error;
}
