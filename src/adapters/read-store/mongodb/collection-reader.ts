import type { Collection } from 'mongodb';
import type { Document, Where } from '../../../kernel/record/projection.js';
import { checkGrouping, type Group, reported } from '../../../kernel/rows/row-report.js';
import type { Counting, PositionedDocument, Query, Report } from '../../../ports/read-store.port.js';
import type { CausalOptions } from '../../mongodb/mongo-sessions.js';
import { comparable, type Stored, storedDocument } from './fields.js';
import { narrowed } from './filter.js';
import { grouping, groupOf } from './groups.js';
import { type KeysetRange, keysetRanges, limitOf, skipOf } from './keyset-ranges.js';

/** `doubtful` means that the result can be wrong if the collection was discarded during the read. */
export interface CollectionResult<T> {
  readonly found: T;
  readonly doubtful: boolean;
}

type Text = Pick<Stored, '_id' | 'text'>;
const onlyText = { text: 1 } as const;

export class CollectionReader {
  constructor(
    private readonly room: Collection<Stored>,
    private readonly reads: CausalOptions,
  ) {}

  async get(id: string): Promise<CollectionResult<Document | undefined>> {
    const one = await this.room.findOne<Text>(
      { _id: { $eq: comparable(id) } },
      { projection: onlyText, ...this.reads },
    );
    return { found: one === null ? undefined : storedDocument(one), doubtful: one === null };
  }

  async load(ids: readonly string[]): Promise<ReadonlyMap<string, PositionedDocument>> {
    if (ids.length === 0) return new Map();
    const options = { projection: { ...onlyText, position: 1 }, ...this.reads };
    const filter = { _id: { $in: ids.map(comparable) } };
    const rows = await this.room.find<Text & Pick<Stored, 'position'>>(filter, options).toArray();
    return new Map(rows.map((row) => [row._id, { document: storedDocument(row), position: row.position }]));
  }

  /** A document that moves from one range to the next during the query is returned once. */
  async find(query: Query): Promise<CollectionResult<readonly Document[]>> {
    const limit = limitOf(query);
    const skip = skipOf(query);
    const parts = keysetRanges(query);
    const found = new Map<string, Document>();
    let doubtful = false;
    for (const part of parts) {
      const missing = limit === undefined ? undefined : limit - found.size;
      if (missing === 0) break;
      const rows =
        part.last.size === 0 ? await this.rowsOf(part, missing, skip) : await this.rowsInOrder(part, missing);
      for (const row of rows) if (!found.has(row._id)) found.set(row._id, storedDocument(row));
      doubtful ||= rows.length === 0;
    }
    return { found: [...found.values()], doubtful };
  }

  async count(where: Where, { most, ...narrowing }: Counting = {}): Promise<CollectionResult<number>> {
    const options = most === undefined ? this.reads : { ...this.reads, limit: most };
    const found = await this.room.countDocuments(narrowed(where, narrowing), options);
    return { found, doubtful: found === 0 };
  }

  async groups(report: Report): Promise<CollectionResult<readonly Group[]>> {
    checkGrouping(report);
    const limit = limitOf(report);
    const nothing = reported([], report);
    if (limit === 0) return { found: [], doubtful: false };
    const stages = [{ $match: narrowed(report.where, report) }, ...grouping(report)];
    const rows = await this.aggregated<Readonly<Record<string, unknown>>>(stages, limit);
    return {
      found: rows.length === 0 ? nothing : rows.map((row) => groupOf(report, row)),
      doubtful: rows.length === 0,
    };
  }

  private rowsOf({ filter, sort }: KeysetRange, limit: number | undefined, skip: number): Promise<Text[]> {
    const options = { projection: onlyText, sort: new Map(sort), allowDiskUse: true, ...this.reads };
    return this.room.find<Text>(filter, { ...options, ...(limit && { limit }), skip }).toArray();
  }

  private rowsInOrder({ filter, sort, last }: KeysetRange, limit: number | undefined): Promise<Text[]> {
    const marks = [...last].map(([path, name]) => {
      const isMissing = { $eq: [{ $type: `$${path}` }, 'missing'] };
      return [name, { $cond: [isMissing, 1, 0] }] as const;
    });
    const stages = [{ $match: filter }, { $set: Object.fromEntries(marks) }, { $sort: Object.fromEntries(sort) }];
    return this.aggregated<Text>(stages, limit, { $project: onlyText });
  }

  private aggregated<Row extends object>(stages: readonly object[], limit: number | undefined, ...then: object[]) {
    const limited = limit === undefined ? [] : [{ $limit: limit }];
    const options = { allowDiskUse: true, ...this.reads };
    return this.room.aggregate<Row>([...stages, ...limited, ...then], options).toArray();
  }

  /** Yields documents one by one, without holding all of them in memory. */
  async *all(): AsyncIterable<Document> {
    // Without a time limit, because MongoDB would apply it to all pages of the result together.
    const options = { projection: onlyText, sort: { _id: 1 }, session: this.reads.session } as const;
    for await (const row of this.room.find<Text>({}, options)) yield storedDocument(row);
  }
}
