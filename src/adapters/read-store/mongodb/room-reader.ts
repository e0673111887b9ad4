import type { Collection } from 'mongodb';
import type { Document, Where } from '../../../kernel/projection.js';
import type { Held, Query } from '../../../ports/read-store.port.js';
import { matching } from './conditions.js';
import { documentOf, type Stored } from './fields.js';
import { limitOf, stretches } from './stretches.js';

/** What was found, and whether a missing collection would have given the same result at some point. */
export interface Found<T> {
  readonly found: T;
  readonly doubtful: boolean;
}

type Text = Pick<Stored, '_id' | 'text'>;
const onlyText = { text: 1 } as const;

/** Reads documents of one collection. */
export class RoomReader {
  constructor(
    private readonly room: Collection<Stored>,
    private readonly maxTimeMS: number,
  ) {}

  async get(id: string): Promise<Found<Document | undefined>> {
    const { maxTimeMS } = this;
    const one = await this.room.findOne<Text>({ _id: { $eq: id } }, { projection: onlyText, maxTimeMS });
    return { found: one === null ? undefined : documentOf(one), doubtful: one === null };
  }

  async load(ids: readonly string[]): Promise<ReadonlyMap<string, Held>> {
    if (ids.length === 0) return new Map();
    const options = { projection: { ...onlyText, position: 1 }, maxTimeMS: this.maxTimeMS };
    const rows = await this.room.find<Text & Pick<Stored, 'position'>>({ _id: { $in: [...ids] } }, options).toArray();
    return new Map(rows.map((row) => [row._id, { document: documentOf(row), position: row.position }]));
  }

  /** A document that moves from one part to the next meanwhile is returned once. */
  async find(query: Query): Promise<Found<readonly Document[]>> {
    const limit = limitOf(query);
    const parts = stretches(query);
    const found = new Map<string, Document>();
    let doubtful = false;
    for (const { filter, sort } of parts) {
      const missing = limit === undefined ? undefined : limit - found.size;
      if (missing === 0) break;
      const options = { projection: onlyText, sort, allowDiskUse: true, maxTimeMS: this.maxTimeMS };
      const rows = await this.room.find<Text>(filter, { ...options, ...(missing && { limit: missing }) }).toArray();
      for (const row of rows) if (!found.has(row._id)) found.set(row._id, documentOf(row));
      doubtful ||= rows.length === 0;
    }
    return { found: [...found.values()], doubtful };
  }

  async count(where: Where): Promise<Found<number>> {
    const found = await this.room.countDocuments(matching(where), { maxTimeMS: this.maxTimeMS });
    return { found, doubtful: found === 0 };
  }

  /** One after the other, in the order of their ids, never holding all of them in memory. */
  async *all(): AsyncIterable<Document> {
    // No time limit, because it would apply to all pages together.
    for await (const row of this.room.find<Text>({}, { projection: onlyText, sort: { _id: 1 } })) yield documentOf(row);
  }
}
