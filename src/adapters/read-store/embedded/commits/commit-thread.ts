import type { Worker } from 'node:worker_threads';
import type { Projection } from '../../../../kernel/record/projection.js';
import { type Build, ReadStoreUnavailable } from '../../../../ports/read-store.port.js';
import { PersistentThread } from '../../../threads/persistent-thread.js';
import { type CommitAnswer, decodeError, type ThreadRequest } from './commit-messages.js';
import type { Commit } from './commit-texts.js';

type Results = readonly PromiseSettledResult<void>[];

export interface CommitThreadOptions {
  readonly directory: string;
  readonly maxPages?: number | undefined;
  /** Called with the thread. Tests end it. */
  readonly onThread?: ((thread: Worker) => void) | undefined;
}

/** The thread that writes the read models. Requests unanswered at its end are rejected; they may have been written. */
export class CommitThread {
  private readonly thread: PersistentThread<ThreadRequest, CommitAnswer>;
  /** Oldest first, which is the order of the answers. */
  private pending: PromiseWithResolvers<Results>[] = [];
  private isClosing = false;

  constructor({ directory, maxPages, onThread }: CommitThreadOptions) {
    this.thread = new PersistentThread({
      name: 'read-models',
      beside: import.meta.url,
      script: 'thread.js',
      data: { directory, maxPages },
      onAnswer: (answer) => this.receive(answer),
      onGone: (reason) => this.end(reason),
      onThread,
    });
  }

  get isReady(): boolean {
    return this.thread.isReady;
  }

  get over(): boolean {
    return this.thread.over;
  }

  get isBusy(): boolean {
    return this.pending.length > 0;
  }

  commit(commits: readonly Commit[]): Promise<Results> {
    return this.send(commits);
  }

  /** Creates the missing declared indexes, each in its own transaction. */
  async index(build: Build, collections: Projection['collections']): Promise<void> {
    await this.send({ build, collections });
  }

  async close(): Promise<void> {
    this.isClosing = true;
    await this.thread.close();
  }

  private send(request: ThreadRequest): Promise<Results> {
    const first = Promise.withResolvers<Results>();
    this.pending.push(first);
    this.thread.ask(request);
    return first.promise;
  }

  private receive(answer: CommitAnswer): boolean {
    const first = this.pending.shift();
    if ('failure' in answer) first?.reject(decodeError(answer.failure));
    else first?.resolve(answer.results.map(heard));
    return this.isBusy || this.isClosing;
  }

  private end(reason: unknown): void {
    const sentence = 'The thread that writes the read store has ended. Try again.';
    for (const { reject } of this.pending) reject(new ReadStoreUnavailable(sentence, { cause: reason }));
    this.pending = [];
  }
}

const heard = (error: Parameters<typeof decodeError>[0] | undefined): PromiseSettledResult<void> =>
  error === undefined ? { status: 'fulfilled', value: undefined } : { status: 'rejected', reason: decodeError(error) };
