import type { IndexDescriptionInfo } from 'mongodb';
import type { Collection as Declared, Index } from '../../../kernel/record/projection.js';
import { buildIndexes, type IndexWatching, type NamedIndex } from '../../mongodb/index-builds.js';
import type { MongoConnection } from '../../mongodb/mongo-connection.js';
import { isIndexGone, isMissingNamespace } from '../../mongodb/mongo-errors.js';
import { fieldPath, type Stored } from './fields.js';

export async function indexCollection(
  connection: MongoConnection,
  room: string,
  declared: Declared,
  watching?: IndexWatching,
): Promise<void> {
  const expected = [...described(declared).values()];
  if (expected.length > 0) await buildIndexes(connection, room, expected, watching);
}

/** Drops only indexes that this service created. Another process might drop the same indexes at the same time. */
export async function dropUndeclared(connection: MongoConnection, room: string, declared: Declared): Promise<void> {
  const collection = connection.collection<Stored>(room);
  const expected = described(declared);
  for (const index of await collection.indexes().catch(nothingIfMissing)) {
    const { name = '' } = index;
    if (!expected.has(name) && isOurs(index)) await collection.dropIndex(name).catch(passIfGone);
  }
}

function described({ indexes, searchable = [] }: Declared): ReadonlyMap<string, NamedIndex> {
  // MongoDB has its own index on the id and refuses a second one.
  const beyondId = indexes.filter(({ fields }) => fields.join() !== 'id');
  return new Map([...beyondId.map(description), ...searchable.map(everyField)].map((one) => [one.name, one]));
}

const indexName = ({ fields, unique }: Index) => `${fields.join(',')}${unique ? '!' : ''}`;

const every = 'every ';

/**
 * One wildcard index, because MongoDB allows 64 indexes per collection, and customers can create more fields than that.
 */
const everyField = (member: string): NamedIndex => ({
  name: `${every}${member}`,
  key: new Map([[`${fieldPath(member)}.$**`, 1]]),
});

function description(index: Index): NamedIndex {
  const paths = index.fields.map(fieldPath);
  if (!index.unique) {
    // The id is the last sort key of every page. A unique index omits it, because with the id every document would be
    // unique.
    return { name: indexName(index), key: new Map([...paths, '_id'].map((path) => [path, 1])) };
  }
  return {
    name: indexName(index),
    key: new Map(paths.map((path) => [path, 1])),
    unique: true,
    // A unique index covers only documents that have all its fields, because MongoDB would treat two absent values as
    // equal.
    partialFilterExpression: Object.fromEntries(paths.map((path) => [path, { $exists: true }])),
  };
}

/** This service names its indexes after their fields, so an index is its own only if name and key match. */
function isOurs({ name = '', key }: IndexDescriptionInfo): boolean {
  try {
    const { key: named } = name.startsWith(every)
      ? everyField(name.slice(every.length))
      : description(indexNamed(name));
    return JSON.stringify([...(named as ReadonlyMap<string, 1>)]) === JSON.stringify(Object.entries(key));
  } catch {
    return false;
  }
}

function indexNamed(name: string): Index {
  const unique = name.endsWith('!');
  return { fields: (unique ? name.slice(0, -1) : name).split(','), unique };
}

function nothingIfMissing(error: unknown): never[] {
  if (isMissingNamespace(error)) return [];
  throw error;
}

function passIfGone(error: unknown): void {
  if (!isIndexGone(error)) throw error;
}
