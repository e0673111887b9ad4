import type { Projection } from '../../../../kernel/record/projection.js';
import { type Build, CheckpointMoved } from '../../../../ports/read-store.port.js';
import { sqliteCode } from '../failure.js';
import type { Commit } from './commit-texts.js';

/** A request to the thread: commits, the indexes of a build, or to end. */
export type ThreadRequest =
  | readonly Commit[]
  | { readonly build: Build; readonly collections: Projection['collections'] }
  | 'close';

/** The thread's answer: an entry for each commit, none for indexes, or the error that failed everything. */
export type CommitAnswer =
  | { readonly results: readonly (EncodedError | undefined)[] }
  | { readonly failure: EncodedError };

interface EncodedError {
  readonly message: string;
  readonly errcode?: number;
  readonly isMoved?: true;
}

export function encodeError(error: unknown): EncodedError {
  const message = error instanceof Error ? error.message : String(error);
  const errcode = sqliteCode(error);
  if (errcode !== undefined) return { message, errcode };
  return error instanceof CheckpointMoved ? { message, isMoved: true } : { message };
}

export function decodeError({ message, errcode, isMoved }: EncodedError): Error {
  if (isMoved) return new CheckpointMoved(message);
  return errcode === undefined ? new Error(message) : Object.assign(new Error(message), { errcode });
}
