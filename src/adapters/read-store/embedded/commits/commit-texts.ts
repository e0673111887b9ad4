import type { Build, Write } from '../../../../ports/read-store.port.js';

/** The document of a `put` is JSON, because a string is copied to a thread faster than an object. */
export type WriteTexts =
  | {
      readonly kind: 'put';
      readonly collection: string;
      readonly id: string;
      readonly document: string;
      readonly position: number;
    }
  | Exclude<Write, { kind: 'put' }>;

export interface Commit {
  readonly build: Build;
  readonly expected: number;
  readonly checkpoint: number;
  readonly writes: readonly WriteTexts[];
}

/** Serialises the document of a `put`, so that later changes to the caller's object have no effect. */
export function writeTexts(write: Write): WriteTexts {
  switch (write.kind) {
    case 'put': {
      const { kind, collection, document, position } = write;
      return { kind, collection, id: document.id, document: JSON.stringify(document), position };
    }
    case 'remove':
    case 'removeWhere':
    case 'index':
    case 'dropIndex':
      return write;
  }
}

/**
 * From this number of writes, commits are sent to the thread. For fewer, the round trip takes longer than the writes.
 */
const manyWrites = 10;

/**
 * From this number of writes, the thread begins at once. Fewer are combined with other commits of the same turn of the
 * event loop.
 */
const bulkWrites = 500;

const writesIn = (commits: readonly Commit[]) => commits.reduce((sum, { writes }) => sum + writes.length, 0);

export const takesLong = (commits: readonly Commit[]): boolean =>
  writesIn(commits) >= manyWrites || commits.some(({ writes }) => writes.some(({ kind }) => kind === 'index'));

export const isBulk = (commits: readonly Commit[]): boolean => writesIn(commits) >= bulkWrites;
