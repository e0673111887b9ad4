import type { Build, Write } from '../../../../ports/read-store.port.js';

/** A write. The document of a `put` is JSON, because a string is copied to a thread faster than an object. */
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

/**
 * Serialises the document of a `put`, so that later changes to the caller's object have no effect. Returns other writes
 * unchanged.
 */
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
 * Minimum number of writes for which the thread is used. For fewer, the round trip to the thread takes longer than the
 * writes.
 */
const manyWrites = 10;

/**
 * Whether the thread should write these commits, because there are many writes or a new index must read all documents
 * of its table.
 */
export const takesLong = (commits: readonly Commit[]): boolean =>
  commits.reduce((sum, { writes }) => sum + writes.length, 0) >= manyWrites ||
  commits.some(({ writes }) => writes.some(({ kind }) => kind === 'index'));
