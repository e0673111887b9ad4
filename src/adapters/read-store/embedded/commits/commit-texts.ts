import type { Build, Write } from '../../../../ports/read-store.port.js';

/** A serialised write, which is passed to a thread faster than a document. */
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

/** Serialises a write at once, so that later changes of the writer's document have no effect. */
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

/** Fewer writes are faster on the main thread than the round trip to the thread. */
const manyWrites = 10;

/** Whether the thread should write these commits. Creating an index reads all documents of its table. */
export const takesLong = (commits: readonly Commit[]): boolean =>
  commits.reduce((sum, { writes }) => sum + writes.length, 0) >= manyWrites ||
  commits.some(({ writes }) => writes.some(({ kind }) => kind === 'index'));
