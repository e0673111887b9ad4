import type { Collection } from 'mongodb';
import type { Collection as Declared, Index } from '../../../kernel/projection.js';
import { buildIndexes, type NamedIndex, type Watching } from '../../mongodb/index-builds.js';
import type { MongoConnection } from '../../mongodb/mongo-connection.js';
import { isMissing } from '../../mongodb/mongo-errors.js';
import { place, type Stored } from './fields.js';

/** Creates the declared indexes, waits until they are built, and drops those no longer declared. */
export async function indexRoom(
  connection: MongoConnection,
  name: string,
  { indexes, searchable = [] }: Declared,
  watching?: Watching,
): Promise<void> {
  const wanted = new Map([...indexes.map(description), ...searchable.map(everyField)].map((one) => [one.name, one]));
  const room = connection.collection<Stored>(name);
  const there = await namesOf(room);
  for (const index of there) if (index !== '_id_' && !wanted.has(index)) await room.dropIndex(index);
  if (wanted.size > 0) await buildIndexes(connection, name, [...wanted.values()], watching);
}

const indexName = ({ fields, unique }: Index) => `${fields.join(',')}${unique ? '!' : ''}`;

/**
 * One index of all fields of a member, whichever they are: MongoDB has at most 64 indexes a collection, and customers make
 * more fields than that.
 */
const everyField = (member: string): NamedIndex => ({ name: `every ${member}`, key: { [`${place(member)}.$**`]: 1 } });

function description(index: Index): NamedIndex {
  const paths = index.fields.map(place);
  if (!index.unique) {
    // The id lets the index serve the order that pages need. In a unique index it would make every document unique.
    return { name: indexName(index), key: new Map([...paths, '_id'].map((path) => [path, 1])) };
  }
  return {
    name: indexName(index),
    key: new Map(paths.map((path) => [path, 1])),
    unique: true,
    // Applies only to documents with all the values, because MongoDB would treat two absent ones as equal.
    partialFilterExpression: Object.fromEntries(paths.map((path) => [path, { $exists: true }])),
  };
}

async function namesOf(room: Collection<Stored>): Promise<readonly string[]> {
  try {
    return (await room.indexes()).flatMap(({ name }) => name ?? []);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
