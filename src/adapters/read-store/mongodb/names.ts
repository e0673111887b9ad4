import type { Build } from '../../../ports/read-store.port.js';

/** Has one document per projection, which lists the projection's builds and the active one. */
export const projectionsName = 'read.projections';
/** Has one document per build, with the log position up to which the build is complete. */
export const checkpointsName = 'read.checkpoints';
export const probeName = 'read.probe';

/**
 * Maximum length of a collection's name, in bytes. MongoDB allows 255 bytes (235 on a sharded cluster) including the
 * name of the database.
 */
const longestName = 150;

/** The returned name contains an `@`, so it differs from the three names at the top of this file. */
export function roomName(collection: string, generation: string): string {
  mustBeGeneration(generation);
  if (!/^[A-Za-z][A-Za-z0-9_.-]*$/.test(collection) || collection.includes('..')) {
    throw new Error(`Invalid name of a collection: ${collection}.`);
  }
  const name = `read.${collection}@${generation}`;
  if (name.length > longestName) throw new Error(`The name of the collection ${collection} is too long.`);
  return name;
}

export const isRoomOf = (collection: string, name: string): boolean => name.startsWith(`read.${collection}@`);

/** A generation contains no slash, so the key is unambiguous. */
export function buildKey({ projection, generation }: Build): string {
  mustBeGeneration(generation);
  return `${projection}/${generation}`;
}

export const titleOf = ({ projection, generation }: Build): string => `${projection} ${generation}`;

function mustBeGeneration(generation: string): void {
  if (!/^[A-Za-z0-9_]+$/.test(generation)) throw new Error(`Invalid name of a generation: ${generation}.`);
}
