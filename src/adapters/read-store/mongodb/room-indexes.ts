import type { Collection, IndexDescription } from 'mongodb';
import type { Collection as Declared, Index } from '../../../kernel/projection.js';
import { isMissing } from '../../mongodb/mongo-errors.js';
import { place, type Stored } from './fields.js';

/**
 * Creates the declared indexes and drops those no longer declared. MongoDB builds an index while others read and write;
 * this waits until it is built. An unavailable member of the set does not delay it.
 */
export async function indexRoom(room: Collection<Stored>, { indexes, searchable = [] }: Declared): Promise<void> {
  const wanted = new Map([...indexes.map(description), ...searchable.map(everyField)].map((one) => [one.name, one]));
  const there = await namesOf(room);
  for (const name of there) if (name !== '_id_' && !wanted.has(name)) await room.dropIndex(name);
  const missing = [...wanted.values()].filter(({ name }) => !there.includes(name));
  if (missing.length > 0) await room.createIndexes(missing, { commitQuorum: 'majority' });
}

const indexName = ({ fields, unique }: Index) => `${fields.join(',')}${unique ? '!' : ''}`;

type Named = IndexDescription & { readonly name: string };

/**
 * One index of all fields of a member, whichever they are: MongoDB has at most 64 indexes a collection, and customers make
 * more fields than that.
 */
const everyField = (member: string): Named => ({ name: `every ${member}`, key: { [`${place(member)}.$**`]: 1 } });

function description(index: Index): Named {
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
