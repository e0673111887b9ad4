import type { Worker } from 'node:worker_threads';
import type { Projection } from '../../../../kernel/record/projection.js';
import { type Build, ReadStoreUnavailable } from '../../../../ports/read-store.port.js';
import { AnsweringThread } from '../../../threads/answering-thread.js';
import { type CommitAnswer, decodeCommitError, type ThreadRequest } from './commit-messages.js';
import type { Commit } from './commit-texts.js';

type Results = readonly PromiseSettledResult<void>[];

export interface CommitThreadOptions {
  readonly directory: string;
  readonly maxPages?: number | undefined;
  /** For tests that terminate the thread. */
  readonly onThread?: ((thread: Worker) => void) | undefined;
}

/** If the thread ends, unanswered requests are rejected, although their writes might have been committed. */
export class CommitThread extends AnsweringThread<ThreadRequest, CommitAnswer> {
  constructor({ directory, maxPages, onThread }: CommitThreadOptions) {
    const sentence = 'The thread that writes the read store has ended. Try again.';
    super({
      name: 'read-models',
      beside: import.meta.url,
      script: 'thread.js',
      data: { directory, maxPages },
      onThread,
      ended: (cause) => new ReadStoreUnavailable(sentence, { cause }),
    });
  }

  async commit(commits: readonly Commit[]): Promise<Results> {
    const answer = await this.request(commits);
    if ('failure' in answer) throw decodeCommitError(answer.failure);
    return answer.results.map((error) =>
      error === undefined
        ? { status: 'fulfilled', value: undefined }
        : { status: 'rejected', reason: decodeCommitError(error) },
    );
  }

  async index(build: Build, collections: Projection['collections']): Promise<void> {
    const answer = await this.request({ build, collections });
    if ('failure' in answer) throw decodeCommitError(answer.failure);
  }
}
