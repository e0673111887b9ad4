import type { ReadStore } from '../../ports/read-store.port.js';

/** Temporary read stores, which serve no queries. */
export abstract class ScratchReadStores {
  /** Opens a store in an empty directory. The caller must close the store and delete the directory. */
  abstract open(directory: string): ReadStore;
}
