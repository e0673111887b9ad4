import type { Projection } from '../../../../kernel/record/projection.js';
import type { Build } from '../../../../ports/read-store.port.js';
import { RestartedThread } from '../../../threads/restarted-thread.js';
import { type Commit, takesLong } from './commit-texts.js';
import { CommitThread, type CommitThreadOptions } from './commit-thread.js';

/** The thread for long writes, started on first use and again after it ended. */
export class CommitThreads {
  private readonly thread: RestartedThread<CommitThread>;
  private making: Promise<unknown> | undefined;

  constructor(options: CommitThreadOptions) {
    this.thread = new RestartedThread(() => new CommitThread(options));
  }

  /** Set while indexes are being created. Resolves when they are ready or have failed. */
  get indexing(): Promise<unknown> | undefined {
    return this.making;
  }

  /**
   * Returns undefined if the main thread should write. Only one of the two writes at a time, so that neither waits for
   * the other's lock.
   */
  for(commits: readonly Commit[]): CommitThread | undefined {
    return this.thread.busy ?? (takesLong(commits) ? this.thread.get() : undefined);
  }

  /** Creates the declared indexes that are missing on non-empty tables. */
  async index(build: Build, collections: Projection['collections']): Promise<void> {
    const indexed = this.thread.started().index(build, collections);
    const all: Promise<unknown> = Promise.allSettled([this.making, indexed]).then(() => {
      if (this.making === all) this.making = undefined;
    });
    this.making = all;
    await indexed;
  }

  async close(): Promise<void> {
    await this.thread.close();
  }
}
