import { type AnyBulkWriteOperation, type Collection, MongoBulkWriteError, type WriteError } from 'mongodb';
import { isDuplicate } from '../../mongodb/mongo-errors.js';
import { matching } from './conditions.js';
import { type Stored, stored } from './fields.js';
import type { DocumentWrite, Phase } from './phases.js';

type Operation = AnyBulkWriteOperation<Stored>;

/** One write of one document, and up to which position it may replace or remove an existing one. */
interface Guarded {
  readonly id: string;
  readonly upTo: number;
  readonly operation: Operation;
}

/** Two documents that swap places in a unique index need a second try. The same failure twice will happen again. */
const triesInVain = 2;

/** Writes documents of one collection. Positions make sure that it never changes what a later batch has written. */
export class RoomWriter {
  constructor(
    private readonly room: Collection<Stored>,
    private readonly collection: string,
    /** The position after the batch. */
    private readonly checkpoint: number,
    private readonly maxTimeMS: number,
    /** Members of documents whose fields are copied for searching. */
    private readonly searchable: readonly string[] | undefined,
  ) {}

  async write(phase: Phase): Promise<void> {
    switch (phase.kind) {
      case 'documents':
        await this.writeAll(phase.writes.map((write) => this.guarded(write)));
        return;
      case 'removeWhere': {
        const filter = { $and: [matching(phase.where), { position: { $lte: this.checkpoint } }] };
        await this.room.deleteMany(filter, { maxTimeMS: this.maxTimeMS });
      }
    }
  }

  private guarded(write: DocumentWrite): Guarded {
    if (write.kind === 'remove') {
      const filter = { _id: { $eq: write.id }, position: { $lte: this.checkpoint } };
      return { id: write.id, upTo: this.checkpoint, operation: { deleteOne: { filter } } };
    }
    const { _id, ...replacement } = stored(write.document, write.position, this.searchable);
    const filter = { _id: { $eq: _id }, position: { $lte: write.position } };
    return { id: _id, upTo: write.position, operation: { replaceOne: { filter, replacement, upsert: true } } };
  }

  /**
   * An existing document with a later position is not matched, and inserting it again is refused as a duplicate, so it
   * stays. Other duplicates are tried again, because unordered writes may see half of a change.
   */
  private async writeAll(writes: readonly Guarded[]): Promise<void> {
    let pending = writes;
    for (let inVain = 0; pending.length > 0; ) {
      const refused = await this.attempt(pending);
      const left = await this.notLater(refused.map((index) => pending[index]).filter((one) => one !== undefined));
      inVain = left.length === pending.length ? inVain + 1 : 0;
      if (inVain >= triesInVain) {
        throw new Error(`Two documents of ${this.collection} have the same values in a unique index.`);
      }
      pending = left;
    }
  }

  /** Answers which writes were refused as duplicates. */
  private async attempt(writes: readonly Guarded[]): Promise<readonly number[]> {
    const operations = writes.map(({ operation }) => operation);
    try {
      await this.room.bulkWrite(operations, { ordered: false, maxTimeMS: this.maxTimeMS });
      return [];
    } catch (error) {
      const errors = errorsOf(error);
      if (errors.length === 0 || !errors.every(isDuplicate)) throw error;
      return errors.map(({ index }) => index);
    }
  }

  private async notLater(writes: readonly Guarded[]): Promise<readonly Guarded[]> {
    if (writes.length === 0) return [];
    const ids = writes.map(({ id }) => id);
    const there = await this.room.find({ _id: { $in: ids } }, { projection: { position: 1 } }).toArray();
    const positions = new Map(there.map(({ _id, position }) => [_id, position]));
    return writes.filter(({ id, upTo }) => (positions.get(id) ?? upTo) <= upTo);
  }
}

function errorsOf(error: unknown): readonly WriteError[] {
  if (!(error instanceof MongoBulkWriteError)) return [];
  return [error.writeErrors].flat();
}
