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

/** Reveals a wrong master key when the vault is opened. */
interface Master {
  readonly _id: 'key';
  readonly keyCheck: Binary;
}

/**
 * A fallback: MongoDB also removes entries by its own clock, an hour after they expired. The hour protects against a
 * fast clock. The service's clock decides whether an entry has expired.
 */
const broomAfterSeconds = 3_600;
/** Entries may be large, so few are fetched at once. */
const batchSize = 100;
/** The latest time of a Date. An entry that would expire later never expires. */
const lastMoment = 8.64e15;

/** The entries of the vault in MongoDB, and the check of their master key. */
export class VaultEntries {
  private readonly rows: Collection<Row>;
  private readonly masters: Collection<Master>;
  private readonly maxTimeMS: number;

  constructor(private readonly connection: MongoConnection) {
    const { database, maxTimeMS } = connection;
    // Writes are acknowledged once a majority has them on disk, regardless of the replica set's default.
    const durable = { writeConcern: { w: 'majority', journal: true, wtimeoutMS: maxTimeMS } } as const;
    this.rows = database.collection('vault', durable);
    this.masters = database.collection('vault_master', durable);
    this.maxTimeMS = maxTimeMS;
  }

  async prepare(): Promise<void> {
    const byExpiry = { name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: broomAfterSeconds } as const;
    await buildIndexes(this.connection, this.rows.collectionName, [byExpiry]);
  }

  /** @throws VaultSealBroken */
  async mustBelongTo(keyCheck: Uint8Array): Promise<void> {
    const first = { $setOnInsert: { keyCheck: new Binary(keyCheck) } };
    // If two processes find an empty vault, the second one fails to insert and then compares like any other process.
    const begun = this.write((options) => this.masters.updateOne({ _id: 'key' }, first, { ...options, upsert: true }));
    await begun.catch(passIfDuplicate);
    const held = await this.masters.findOne({ _id: 'key' }, this.connection.reads);
    if (held !== null && equal(bytesOf(held.keyCheck), keyCheck)) return;
    throw new VaultSealBroken('The vault was sealed under another master key: start with that key.');
  }

  async get(name: string): Promise<Entry | undefined> {
    const row = await this.rows.findOne({ _id: { $eq: name } }, this.connection.reads);
    return row === null ? undefined : entryOf(row);
  }

  /** The query has no time limit, because MongoDB would apply it to all batches of the cursor together. */
  async *all(now: number): AsyncIterable<SealedEntry> {
    const { session } = this.connection.reads;
    for await (const row of this.rows.find({}, { sort: { _id: 1 }, batchSize, session })) {
      yield* unexpired(row, now);
    }
  }

  /** Returns the unexpired entries of these names. */
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
   * Replaces an expired entry. An unexpired one is not matched, and MongoDB refuses to insert a second one. Resolves to
   * whether the entry was stored.
   */
  async putIfAbsent(name: string, entry: Entry, now: number): Promise<boolean> {
    const expired = { _id: { $eq: name }, expiresAt: { $lte: new Date(now) } };
    const put = this.write((options) => this.rows.replaceOne(expired, rowOf(entry), { ...options, upsert: true }));
    return put.then(() => true, falseIfDuplicate);
  }

  /** Resolves to whether there was such an entry. */
  async keep(name: string, now: number): Promise<boolean> {
    const held = {
      _id: { $eq: name },
      $or: [{ expiresAt: { $exists: false } }, { expiresAt: { $gt: new Date(now) } }],
    };
    const kept = await this.write((options) => this.rows.updateOne(held, { $unset: { expiresAt: true } }, options));
    return kept.matchedCount === 1;
  }

  async delete(name: string): Promise<void> {
    await this.write((options) => this.rows.deleteOne({ _id: { $eq: name } }, options));
  }

  async deleteExpired(now: number): Promise<number> {
    const expired = { expiresAt: { $lte: new Date(now) } };
    return (await this.write((options) => this.rows.deleteMany(expired, options))).deletedCount;
  }

  /** Writes so that every later read sees the result. */
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
