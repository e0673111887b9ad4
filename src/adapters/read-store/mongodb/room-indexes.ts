import type { Collection, IndexDescription } from 'mongodb';
import type { Index } from '../../../kernel/projection.js';
import { isMissing } from '../../mongodb/mongo-trouble.js';
import { place, type Stored } from './fields.js';

/**
 * Makes the declared indexes and drops those that are declared no more. MongoDB builds an index while others read and
 * write; this waits until it is built. A server of the set that is away does not hold it up.
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
    // The id makes the index serve the order that pages need; in a unique one it would make everything unique.
    return { name: indexName(index), key: new Map([...paths, '_id'].map((path) => [path, 1])) };
  }
  return {
    name: indexName(index),
    key: new Map(paths.map((path) => [path, 1])),
    unique: true,
    // Held only against documents that have all the values: to MongoDB two absent ones would be the same.
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
