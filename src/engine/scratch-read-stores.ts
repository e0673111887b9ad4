import type { ReadStore } from '../ports/read-store.port.js';

/** Read stores for work aside, which nobody queries and which are thrown away. */
export abstract class ScratchReadStores {
  /** In an empty directory of the caller's, who closes the store and removes the directory. */
  abstract open(directory: string): ReadStore;
}
