import type { Projection } from '../../../../kernel/record/projection.js';
import type { Build } from '../../../../ports/read-store.port.js';
import { RestartedThread } from '../../../threads/restarted-thread.js';
import { type Commit, takesLong } from './commit-texts.js';
import { CommitThread, type CommitThreadOptions } from './commit-thread.js';

/** Manages the thread for long writes. It is started on first use, and again after it has ended. */
export class CommitThreads {
  private readonly thread: RestartedThread<CommitThread>;
  private making: Promise<unknown> | undefined;

  constructor(options: CommitThreadOptions) {
    this.thread = new RestartedThread(() => new CommitThread(options));
  }

  /** Resolves when the indexes that are being created are ready or have failed. Undefined if none are being created. */
  get indexing(): Promise<unknown> | undefined {
    return this.making;
  }

  /**
   * Returns the thread that should write these commits, or undefined if the main thread should. While the thread is
   * busy, it gets all commits, so that neither of the two threads waits for the other's lock.
   */
  for(commits: readonly Commit[]): CommitThread | undefined {
    return this.thread.busy ?? (takesLong(commits) ? this.thread.get() : undefined);
  }

  /** Creates the declared indexes that non-empty tables lack. */
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
