import type { ReadStore } from '../../ports/read-store.port.js';

/** Temporary read stores that serve no queries and are deleted afterwards. */
export abstract class ScratchReadStores {
  /** Opens a store in an empty directory. The caller closes the store and deletes the directory. */
  abstract open(directory: string): ReadStore;
}
