import { PersistentThread, type PersistentThreadOptions } from './persistent-thread.js';

export interface AnsweringThreadOptions
  extends Pick<PersistentThreadOptions<unknown>, 'name' | 'beside' | 'script' | 'data' | 'onThread'> {
  /**
   * Returns the error for requests that the thread had not answered when it ended. The thread may have carried them
   * out.
   */
  readonly ended: (reason: unknown) => Error;
}

/** A persistent thread that answers each request once, in the order in which requests were made. */
export class AnsweringThread<Request, Answer> {
  private readonly thread: PersistentThread<Request, Answer>;
  /** Unanswered requests, oldest first. */
  private pending: PromiseWithResolvers<Answer>[] = [];

  constructor({ ended, ...options }: AnsweringThreadOptions) {
    this.thread = new PersistentThread({
      ...options,
      onAnswer: (answer) => {
        this.pending.shift()?.resolve(answer);
        return this.isBusy;
      },
      onGone: (reason) => {
        const unanswered = this.pending;
        this.pending = [];
        for (const { reject } of unanswered) reject(ended(reason));
      },
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

  /** Resolves when the latest request has been answered or has failed. */
  get rest(): Promise<unknown> {
    return Promise.allSettled([this.pending.at(-1)?.promise]);
  }

  request(request: Request): Promise<Answer> {
    const asked = Promise.withResolvers<Answer>();
    this.pending.push(asked);
    this.thread.post(request);
    return asked.promise;
  }

  close(): Promise<void> {
    return this.thread.close();
  }
}
