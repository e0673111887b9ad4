import type { Projection } from '../../../../kernel/record/projection.js';
import type { Build } from '../../../../ports/read-store.port.js';
import { RestartedThread } from '../../../threads/restarted-thread.js';
import { type Commit, takesLong } from './commit-texts.js';
import { CommitThread, type CommitThreadOptions } from './commit-thread.js';

export class CommitThreads {
  private readonly thread: RestartedThread<CommitThread>;
  private waiting = 0;
  private allDone = Promise.withResolvers<void>();
  private deferred: (() => void)[] = [];

  constructor(options: CommitThreadOptions) {
    this.thread = new RestartedThread(() => new CommitThread(options));
  }

  /** Undefined if no call of `whileIdle` waits. Resolves after the commits that waited for these calls have begun. */
  get mainWritesDone(): Promise<void> | undefined {
    return this.waiting === 0 ? undefined : this.allDone.promise;
  }

  /**
   * Calls `commit` at once or, if calls of `whileIdle` wait, after these, because commits could keep the commit thread
   * busy for ever. The order of the calls does not change.
   */
  afterMainWrites<Result>(commit: () => Result | Promise<Result>): Result | Promise<Result> {
    if (this.waiting === 0) return commit();
    return new Promise((resolve) => {
      this.deferred.push(() => resolve(new Promise((done) => done(commit()))));
    });
  }

  /**
   * Calls `write` once the commit thread has answered all requests. Before that, the main thread would block on the
   * commit thread's lock. If the commit thread is not busy, calls `write` before this method returns its promise.
   */
  async whileIdle(write: () => void): Promise<void> {
    this.waiting += 1;
    try {
      for (let { busy } = this.thread; busy !== undefined; busy = this.thread.busy) await busy.rest;
      write();
    } finally {
      this.waiting -= 1;
      if (this.waiting === 0) {
        for (const commit of this.deferred.splice(0)) commit();
        this.allDone.resolve();
        this.allDone = Promise.withResolvers<void>();
      }
    }
  }

  /** While the thread is busy, it gets all commits, so that the two threads never wait for each other's lock. */
  for(commits: readonly Commit[]): CommitThread | undefined {
    return this.thread.busy ?? (takesLong(commits) ? this.thread.get() : undefined);
  }

  async index(build: Build, collections: Projection['collections']): Promise<void> {
    await this.thread.started().index(build, collections);
  }

  async close(): Promise<void> {
    await this.thread.close();
  }
}
