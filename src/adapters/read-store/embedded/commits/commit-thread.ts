import type { Worker } from 'node:worker_threads';
import type { Projection } from '../../../../kernel/record/projection.js';
import { type Build, ReadStoreUnavailable } from '../../../../ports/read-store.port.js';
import { StandingThread } from '../../../threads/standing-thread.js';
import { type CommitAnswer, hearError, type ThreadRequest } from './commit-messages.js';
import type { Commit } from './commit-texts.js';

type Results = readonly PromiseSettledResult<void>[];

export interface CommitThreadOptions {
  readonly directory: string;
  readonly maxPages?: number | undefined;
  /** Gets the thread. Tests use it to end the thread. */
  readonly onThread?: ((thread: Worker) => void) | undefined;
}

/** The thread that writes the read models. What it has not answered when it ends is rejected; it may be written. */
export class CommitThread {
  private readonly thread: StandingThread<ThreadRequest, CommitAnswer>;
  /** Oldest first, the order in which they are answered. */
  private asked: PromiseWithResolvers<Results>[] = [];
  private isClosing = false;

  constructor({ directory, maxPages, onThread }: CommitThreadOptions) {
    this.thread = new StandingThread({
      name: 'read-models',
      beside: import.meta.url,
      script: 'thread.js',
      data: { directory, maxPages },
      onAnswer: (answer) => this.hear(answer),
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
    return this.asked.length > 0;
  }

  commit(commits: readonly Commit[]): Promise<Results> {
    return this.ask(commits);
  }

  /** Makes the declared indexes that are missing, each in a transaction of its own. */
  async index(build: Build, collections: Projection['collections']): Promise<void> {
    await this.ask({ build, collections });
  }

  async close(): Promise<void> {
    this.isClosing = true;
    await this.thread.close();
  }

  private ask(request: ThreadRequest): Promise<Results> {
    const asked = Promise.withResolvers<Results>();
    this.asked.push(asked);
    this.thread.ask(request);
    return asked.promise;
  }

  private hear(answer: CommitAnswer): boolean {
    const asked = this.asked.shift();
    if ('failure' in answer) asked?.reject(hearError(answer.failure));
    else asked?.resolve(answer.results.map(heard));
    return this.isBusy || this.isClosing;
  }

  private end(reason: unknown): void {
    const sentence = 'The thread that writes the read store has ended. Try again.';
    for (const { reject } of this.asked) reject(new ReadStoreUnavailable(sentence, { cause: reason }));
    this.asked = [];
  }
}

const heard = (told: Parameters<typeof hearError>[0] | undefined): PromiseSettledResult<void> =>
  told === undefined ? { status: 'fulfilled', value: undefined } : { status: 'rejected', reason: hearError(told) };
