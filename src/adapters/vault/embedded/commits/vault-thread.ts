import type { Worker } from 'node:worker_threads';
import { VaultUnavailable } from '../../../../ports/vault.port.js';
import { AnsweringThread } from '../../../threads/answering-thread.js';
import type { EncodedError } from '../../../threads/thread-errors.js';
import type { VaultWrite } from '../vault-file.js';

export interface VaultThreadOptions {
  readonly directory: string;
  /** Page limit of the file. For tests of a full disk. */
  readonly maxPages?: number | undefined;
  /** Called with the thread when it is started. For tests that terminate it. */
  readonly onThread?: ((thread: Worker) => void) | undefined;
}

/**
 * A group of writes for the thread. `leftovers` has the meaning of `VaultFile.leftovers`. The thread returns its new
 * value with the result.
 */
export interface WriteRequest {
  readonly writes: readonly VaultWrite[];
  readonly leftovers: boolean;
}

export type WriteAnswer = { readonly leftovers: boolean } & (
  | { readonly changed: readonly number[] }
  | { readonly failure: EncodedError }
);

/**
 * The thread that writes the vault. If it ends, unanswered requests are rejected, although their writes may have been
 * committed.
 */
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
