import type { Worker } from 'node:worker_threads';
import { VaultUnavailable } from '../../../../ports/vault.port.js';
import { AnsweringThread } from '../../../threads/answering-thread.js';
import type { EncodedError } from '../../../threads/thread-errors.js';
import type { VaultWrite } from '../vault-file.js';

export interface VaultThreadOptions {
  readonly directory: string;
  /** Maximum size of the file, in pages. For tests of a full disk. */
  readonly maxPages?: number | undefined;
  /** For tests that terminate the thread. */
  readonly onThread?: ((thread: Worker) => void) | undefined;
}

export interface WriteRequest {
  readonly writes: readonly VaultWrite[];
  readonly leftovers: boolean;
}

export type WriteAnswer = { readonly leftovers: boolean } & (
  | { readonly changed: readonly number[] }
  | { readonly failure: EncodedError }
);

/** If the thread ends, unanswered requests are rejected, although their writes might have been committed. */
export class VaultThread extends AnsweringThread<WriteRequest | 'close', WriteAnswer> {
  constructor({ directory, maxPages, onThread }: VaultThreadOptions) {
    super({
      name: 'vault',
      beside: import.meta.url,
      script: 'thread.js',
      data: { directory, maxPages },
      onThread,
      ended: (cause) =>
        new VaultUnavailable('The vault is not available: the thread that writes it has ended; try again.', { cause }),
    });
  }
}
