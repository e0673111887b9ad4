import type { ReadStore } from '../../ports/read-store.port.js';

export abstract class ScratchReadStores {
  /** `directory` must be empty. The caller must close the store and delete the directory. */
  abstract open(directory: string): ReadStore;
}
