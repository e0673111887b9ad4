import { type AnyBulkWriteOperation, type ClientSession, type Collection, MongoBulkWriteError } from 'mongodb';
import { ReadStoreUnavailable } from '../../../ports/read-store.port.js';
import { isDuplicate } from '../../mongodb/mongo-errors.js';
import { matching } from './conditions.js';
import { type Stored, stored } from './fields.js';
import type { DocumentWrite, Phase } from './phases.js';

type Put = Extract<DocumentWrite, { kind: 'put' }>;

/**
 * `anew` removes the stored versions of the documents before it inserts the new ones. It is needed if documents swap
 * values of a unique index, because MongoDB checks the index after every single write.
 */
export type WriteMode = 'over' | 'anew';

/** MongoDB's recommended maximum of changes by one command in a transaction. */
const mostChanges = 1_000;

/** Must be used within a transaction that excludes other writers of the same build. */
export class CollectionWriter {
  constructor(
    private readonly room: Collection<Stored>,
    private readonly collection: string,
    private readonly checkpoint: number,
    private readonly maxTimeMS: number,
    private readonly searchable: readonly string[] | undefined,
  ) {}

  async write(phase: Phase, way: WriteMode, session: ClientSession): Promise<void> {
    const { maxTimeMS } = this;
    if (phase.kind === 'removeWhere') {
      const filter = { $and: [matching(phase.where), { position: { $lte: this.checkpoint } }] };
      await this.room.deleteMany(filter, { maxTimeMS, session });
      return;
    }
    for (let from = 0; from < phase.writes.length; from += mostChanges) {
      const writes = phase.writes.slice(from, from + mostChanges);
      if (way === 'over') await this.writeOver(writes, session);
      else await this.writeAnew(writes, session);
    }
  }

  private async writeOver(writes: readonly DocumentWrite[], session: ClientSession): Promise<void> {
    const runs = Map.groupBy(
      writes.map((write) => this.operation(write)),
      (operation) => Object.keys(operation)[0],
    );
    const operations = ['deleteOne', 'replaceOne', 'insertOne'].flatMap((run) => runs.get(run) ?? []);
    const result = await this.room.bulkWrite(operations, { ordered: true, maxTimeMS: this.maxTimeMS, session });
    const puts = writes.filter(({ kind }) => kind === 'put').length;
    if (result.matchedCount + result.upsertedCount + result.insertedCount < puts) throw this.notAsLoaded();
  }

  private operation(write: DocumentWrite): AnyBulkWriteOperation<Stored> {
    if (write.kind === 'remove') {
      return { deleteOne: { filter: { _id: { $eq: write.id }, position: { $lte: this.checkpoint } } } };
    }
    const document = this.stored(write);
    if (write.over === null) return { insertOne: { document } };
    const { _id, ...replacement } = document;
    const position = write.over === undefined ? { $lte: write.position } : { $eq: write.over };
    const upsert = write.over === undefined;
    return { replaceOne: { filter: { _id: { $eq: _id }, position }, replacement, upsert } };
  }

  /**
   * A write that does not state which version it replaces (`over`) is skipped if a later version of its document is
   * stored.
   */
  private async writeAnew(writes: readonly DocumentWrite[], session: ClientSession): Promise<void> {
    const options = { maxTimeMS: this.maxTimeMS, session };
    const ids = writes.map(idOf);
    const there = await this.room.find({ _id: { $in: ids } }, { ...options, projection: { position: 1 } }).toArray();
    const positions = new Map(there.map(({ _id, position }) => [_id, position]));
    const puts: Put[] = [];
    const replaced: string[] = [];
    for (const write of writes) {
      const current = positions.get(idOf(write)) ?? null;
      const over = write.kind === 'put' ? write.over : undefined;
      if (over !== undefined && over !== current) throw this.notAsLoaded();
      if (current !== null && current > (write.kind === 'put' ? write.position : this.checkpoint)) continue;
      if (current !== null) replaced.push(idOf(write));
      if (write.kind === 'put') puts.push(write);
    }
    if (replaced.length > 0) await this.room.deleteMany({ _id: { $in: replaced } }, options);
    if (puts.length === 0) return;
    const documents = puts.map((put) => this.stored(put));
    await this.room.insertMany(documents, { ...options, ordered: true }).catch((error: unknown) => {
      if (!isDuplicateAlone(error)) throw error;
      throw new Error(`Two documents of ${this.collection} have the same values in a unique index.`);
    });
  }

  private stored({ document, position }: Put): Stored {
    return stored(document, position, this.searchable);
  }

  private notAsLoaded(): ReadStoreUnavailable {
    return new ReadStoreUnavailable(
      `The read store is not available: a document of ${this.collection} differs from the version that was read, ` +
        'because the server that was read lags behind; the service reads it again.',
    );
  }
}

const idOf = (write: DocumentWrite): string => (write.kind === 'put' ? write.document.id : write.id);

export function isDuplicateAlone(error: unknown): boolean {
  const errors = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : [];
  return errors.length > 0 && errors.every(isDuplicate);
}
