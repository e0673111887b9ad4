import type { Projection } from '../../../../kernel/record/projection.js';
import type { Build } from '../../../../ports/read-store.port.js';
import { type Commit, takesLong } from './commit-texts.js';
import { CommitThread, type CommitThreadOptions } from './commit-thread.js';

/** A thread that ended is not started again before this pause is over. */
const restartAfterMs = 1_000;

/** The thread that writes what takes long, started when it is first needed and again when it has ended. */
export class CommitThreads {
  private thread: CommitThread | undefined;
  private restartAt = 0;
  private making: Promise<unknown> | undefined;

  constructor(private readonly options: CommitThreadOptions) {}

  /** Set while indexes are made; resolves when they are, or could not be. */
  get indexing(): Promise<unknown> | undefined {
    return this.making;
  }

  /** Undefined: written on the main thread. One after the other, so that the two do not wait for each other's lock. */
  for(commits: readonly Commit[]): CommitThread | undefined {
    if (this.thread?.isBusy) return this.thread;
    if (!takesLong(commits)) return undefined;
    if (this.thread?.over !== false && performance.now() >= this.restartAt) {
      this.restartAt = performance.now() + restartAfterMs;
      this.thread = new CommitThread(this.options);
    }
    return this.thread?.isReady ? this.thread : undefined;
  }

  /** Makes the declared indexes that tables with documents lack. */
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
