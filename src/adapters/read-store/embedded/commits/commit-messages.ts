import type { Projection } from '../../../../kernel/record/projection.js';
import { type Build, CheckpointMoved } from '../../../../ports/read-store.port.js';
import * as threadErrors from '../../../threads/thread-errors.js';
import type { Commit } from './commit-texts.js';

export type ThreadRequest =
  | readonly Commit[]
  | { readonly build: Build; readonly collections: Projection['collections'] }
  | 'close';

/**
 * One result per commit, or an empty list after the creation of indexes. After a `failure` no commit was written, but
 * some of the indexes might exist.
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
