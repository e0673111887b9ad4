import type { Projection } from '../../../../kernel/record/projection.js';
import { type Build, CheckpointMoved } from '../../../../ports/read-store.port.js';
import { codeOf } from '../failure.js';
import type { Commit } from './commit-texts.js';

/** What the thread is asked for: commits, the indexes of a build, or to end. */
export type ThreadRequest =
  | readonly Commit[]
  | { readonly build: Build; readonly collections: Projection['collections'] }
  | 'close';

/** What the thread answers: an entry for each commit, none for indexes, or what made all of it fail. */
export type CommitAnswer = { readonly results: readonly (ErrorTold | undefined)[] } | { readonly failure: ErrorTold };

interface ErrorTold {
  readonly message: string;
  readonly errcode?: number;
  readonly isMoved?: true;
}

export function tellError(error: unknown): ErrorTold {
  const message = error instanceof Error ? error.message : String(error);
  const errcode = codeOf(error);
  if (errcode !== undefined) return { message, errcode };
  return error instanceof CheckpointMoved ? { message, isMoved: true } : { message };
}

export function hearError({ message, errcode, isMoved }: ErrorTold): Error {
  if (isMoved) return new CheckpointMoved(message);
  return errcode === undefined ? new Error(message) : Object.assign(new Error(message), { errcode });
}
