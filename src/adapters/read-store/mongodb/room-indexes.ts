import type { Collection, IndexDescription } from 'mongodb';
import type { Index } from '../../../kernel/projection.js';
import { isMissing } from '../../mongodb/mongo-errors.js';
import { place, type Stored } from './fields.js';

/**
 * Creates the declared indexes and drops those no longer declared. MongoDB builds an index while others read and write;
 * this waits until it is built. An unavailable member of the set does not delay it.
 */
export async function indexRoom(room: Collection<Stored>, indexes: readonly Index[]): Promise<void> {
  const wanted = new Map(indexes.map((index) => [indexName(index), index]));
  const there = await namesOf(room);
  for (const name of there) if (name !== '_id_' && !wanted.has(name)) await room.dropIndex(name);
  const missing = [...wanted].filter(([name]) => !there.includes(name)).map(([, index]) => description(index));
  if (missing.length > 0) await room.createIndexes(missing, { commitQuorum: 'majority' });
}

const indexName = ({ fields, unique }: Index) => `${fields.join(',')}${unique ? '!' : ''}`;

function description(index: Index): IndexDescription {
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
