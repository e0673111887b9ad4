import { CheckpointMoved } from '../../../ports/read-store.port.js';
import { codeOf } from './failure.js';

/** What the thread answers to a group of commits: one entry a commit, or what made all of them fail. */
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
