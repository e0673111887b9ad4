import type { Projection } from '../../../../kernel/record/projection.js';
import type { Build } from '../../../../ports/read-store.port.js';
import { type Commit, takesLong } from './commit-texts.js';
import { CommitThread, type CommitThreadOptions } from './commit-thread.js';

/** Pause before a thread that ended is restarted. */
const restartAfterMs = 1_000;

/** The thread for long writes, started on first use and again after it ended. */
export class CommitThreads {
  private thread: CommitThread | undefined;
  private restartAt = 0;
  private making: Promise<unknown> | undefined;

  constructor(private readonly options: CommitThreadOptions) {}

  /** Set while indexes are being created; resolves once they are, or have failed. */
  get indexing(): Promise<unknown> | undefined {
    return this.making;
  }

  /**
   * Undefined: write on the main thread. Only one of the two writes at a time, so that neither waits for the other's
   * lock.
   */
  for(commits: readonly Commit[]): CommitThread | undefined {
    if (this.thread?.isBusy) return this.thread;
    if (!takesLong(commits)) return undefined;
    if (this.thread?.over !== false && performance.now() >= this.restartAt) {
      this.restartAt = performance.now() + restartAfterMs;
      this.thread = new CommitThread(this.options);
    }
    return this.thread?.isReady ? this.thread : undefined;
  }

  /** Creates the declared indexes that non-empty tables lack. */
  async index(build: Build, collections: Projection['collections']): Promise<void> {
    if (this.thread?.over !== false) this.thread = new CommitThread(this.options);
    const indexed = this.thread.index(build, collections);
    const all: Promise<unknown> = Promise.allSettled([this.making, indexed]).then(() => {
      if (this.making === all) this.making = undefined;
    });
    this.making = all;
    await indexed;
  }

  async close(): Promise<void> {
    await this.thread?.close();
  }
}
