import { PersistentThread, type PersistentThreadOptions } from './persistent-thread.js';

export interface AnsweringThreadOptions
  extends Pick<PersistentThreadOptions<unknown>, 'name' | 'beside' | 'script' | 'data' | 'onThread'> {
  /** Makes the error for unanswered requests, which the thread might have carried out. */
  readonly ended: (reason: unknown) => Error;
}

export class AnsweringThread<Request, Answer> {
  private readonly thread: PersistentThread<Request, Answer>;
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
