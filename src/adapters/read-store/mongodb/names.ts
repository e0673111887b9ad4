import type { Build } from '../../../ports/read-store.port.js';

/** Collection with one document per projection, which lists its builds and the one that queries read. */
export const projectionsName = 'read.projections';
/** Collection with one document per build, which records how far the build has processed the log. */
export const checkpointsName = 'read.checkpoints';
export const probeName = 'read.probe';

/** In bytes. MongoDB allows 255 bytes together with the database's name, and 235 on a sharded cluster. */
const longestName = 150;

/** Returns the name of a build's collection. The `@` distinguishes it from the three names above. */
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

/** Returns the key of a build. It is unambiguous, because a generation has no slash. */
export function buildKey({ projection, generation }: Build): string {
  mustBeGeneration(generation);
  return `${projection}/${generation}`;
}

export const titleOf = ({ projection, generation }: Build): string => `${projection} ${generation}`;

/** Checked because a generation is a field name in the document of its projection. */
function mustBeGeneration(generation: string): void {
  if (!/^[A-Za-z0-9_]+$/.test(generation)) throw new Error(`Not the name of a generation: ${generation}.`);
}
