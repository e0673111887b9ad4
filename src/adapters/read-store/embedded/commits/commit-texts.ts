import type { Build, Write } from '../../../../ports/read-store.port.js';

/** A write as texts, which pass to a thread faster than documents do. */
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

/** Serialised at once, so that later changes of the writer's document have no effect. */
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

/** A group of fewer writes is written faster on the main thread than it is handed to the thread and answered. */
const manyWrites = 10;

/** Whether the thread should write them. An index that is made goes through all documents of its table. */
export const takesLong = (commits: readonly Commit[]): boolean =>
  commits.reduce((sum, { writes }) => sum + writes.length, 0) >= manyWrites ||
  commits.some(({ writes }) => writes.some(({ kind }) => kind === 'index'));
