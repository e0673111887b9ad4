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
  /** Called with the thread when it is started. For tests that terminate it. */
  readonly onThread?: ((thread: Worker) => void) | undefined;
}

/**
 * The thread that writes the read models. If it ends, unanswered requests are rejected, although their writes may have
 * been committed.
 */
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

  /** Creates the missing declared indexes, each in its own transaction. */
  async index(build: Build, collections: Projection['collections']): Promise<void> {
    const answer = await this.request({ build, collections });
    if ('failure' in answer) throw decodeCommitError(answer.failure);
  }
}
