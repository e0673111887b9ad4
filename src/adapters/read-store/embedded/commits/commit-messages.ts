import type { Projection } from '../../../../kernel/record/projection.js';
import { type Build, CheckpointMoved } from '../../../../ports/read-store.port.js';
import * as threadErrors from '../../../threads/thread-errors.js';
import type { Commit } from './commit-texts.js';

/** Request to the thread: commits to write, a build in which to create the missing indexes, or `close`. */
export type ThreadRequest =
  | readonly Commit[]
  | { readonly build: Build; readonly collections: Projection['collections'] }
  | 'close';

/**
 * The thread's response: one result per commit, or an empty list after the creation of indexes. `failure` is the error
 * because of which the request failed. No commit was written then, but some of the indexes may have been created.
 */
export type CommitAnswer =
  | { readonly results: readonly (EncodedError | undefined)[] }
  | { readonly failure: EncodedError };

interface EncodedError extends threadErrors.EncodedError {
  readonly isMoved?: true;
}

export function encodeCommitError(error: unknown): EncodedError {
  const encoded = threadErrors.encodeError(error);
  return error instanceof CheckpointMoved ? { ...encoded, isMoved: true } : encoded;
}

export function decodeCommitError({ isMoved, ...encoded }: EncodedError): Error {
  return isMoved ? new CheckpointMoved(encoded.message) : threadErrors.decodeError(encoded);
}
