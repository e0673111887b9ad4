import type { IndexDescriptionInfo } from 'mongodb';
import type { Collection as Declared, Index } from '../../../kernel/record/projection.js';
import { buildIndexes, type IndexWatching, type NamedIndex } from '../../mongodb/index-builds.js';
import type { MongoConnection } from '../../mongodb/mongo-connection.js';
import { isIndexGone, isMissingNamespace } from '../../mongodb/mongo-errors.js';
import { place, type Stored } from './fields.js';

/** Creates the declared indexes and waits until they are built. */
export async function indexRoom(
  connection: MongoConnection,
  room: string,
  declared: Declared,
  watching?: IndexWatching,
): Promise<void> {
  const expected = [...described(declared).values()];
  if (expected.length > 0) await buildIndexes(connection, room, expected, watching);
}

/**
 * Drops indexes of this service that are no longer declared, but not those of others. Another process may do the same
 * at the same time. Aborts the build of an index that is not finished.
 */
export async function dropUndeclared(connection: MongoConnection, room: string, declared: Declared): Promise<void> {
  const collection = connection.collection<Stored>(room);
  const expected = described(declared);
  for (const index of await collection.indexes().catch(nothingIfMissing)) {
    const { name = '' } = index;
    if (!expected.has(name) && isOurs(index)) await collection.dropIndex(name).catch(passIfGone);
  }
}

function described({ indexes, searchable = [] }: Declared): ReadonlyMap<string, NamedIndex> {
  // MongoDB has its own index of the id, and refuses another.
  const beyondId = indexes.filter(({ fields }) => fields.join() !== 'id');
  return new Map([...beyondId.map(description), ...searchable.map(everyField)].map((one) => [one.name, one]));
}

const indexName = ({ fields, unique }: Index) => `${fields.join(',')}${unique ? '!' : ''}`;

const every = 'every ';

/**
 * One wildcard index over all fields of a member: MongoDB has at most 64 indexes per collection, and customers create
 * more fields than that.
 */
const everyField = (member: string): NamedIndex => ({
  name: `${every}${member}`,
  key: new Map([[`${place(member)}.$**`, 1]]),
});

function description(index: Index): NamedIndex {
  const paths = index.fields.map(place);
  if (!index.unique) {
    // With the id, the index serves the order that pages need. In a unique index it would make every document unique.
    return { name: indexName(index), key: new Map([...paths, '_id'].map((path) => [path, 1])) };
  }
  return {
    name: indexName(index),
    key: new Map(paths.map((path) => [path, 1])),
    unique: true,
    // The index covers only documents with all the values, because MongoDB would treat two absent ones as equal.
    partialFilterExpression: Object.fromEntries(paths.map((path) => [path, { $exists: true }])),
  };
}

/** Whether this service created the index. It derives index names from fields, and no other tool uses such names. */
function isOurs({ name = '', key }: IndexDescriptionInfo): boolean {
  try {
    const { key: named } = name.startsWith(every)
      ? everyField(name.slice(every.length))
      : description(indexNamed(name));
    return JSON.stringify([...(named as ReadonlyMap<string, 1>)]) === JSON.stringify(Object.entries(key));
  } catch {
    // The name is not even the path of a field.
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
