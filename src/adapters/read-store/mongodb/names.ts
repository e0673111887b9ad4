import type { Build } from '../../../ports/read-store.port.js';

/** MongoDB collection with one document per projection, which lists the projection's builds and the active one. */
export const projectionsName = 'read.projections';
/**
 * MongoDB collection with one document per build, which contains the log position up to which the build is complete.
 */
export const checkpointsName = 'read.checkpoints';
export const probeName = 'read.probe';

/**
 * Longest name of a MongoDB collection, in bytes. MongoDB allows 255 bytes (235 on a sharded cluster) including the
 * name of the database.
 */
const longestName = 150;

/**
 * Returns the name of the MongoDB collection for a collection of a build. It contains an `@`, so it differs from the
 * three names above.
 */
export function roomName(collection: string, generation: string): string {
  mustBeGeneration(generation);
  if (!/^[A-Za-z][A-Za-z0-9_.-]*$/.test(collection) || collection.includes('..')) {
    throw new Error(`Not the name of a collection: ${collection}.`);
  }
  const name = `read.${collection}@${generation}`;
  if (name.length > longestName) throw new Error(`The name of the collection ${collection} is too long.`);
  return name;
}

export const isRoomOf = (collection: string, name: string): boolean => name.startsWith(`read.${collection}@`);

/** Returns the key of a build. A generation contains no slash, so the key is unambiguous. */
export function buildKey({ projection, generation }: Build): string {
  mustBeGeneration(generation);
  return `${projection}/${generation}`;
}

export const titleOf = ({ projection, generation }: Build): string => `${projection} ${generation}`;

/** Checks the name of a generation, because it becomes a field name in the projection's document. */
function mustBeGeneration(generation: string): void {
  if (!/^[A-Za-z0-9_]+$/.test(generation)) throw new Error(`Not the name of a generation: ${generation}.`);
}
