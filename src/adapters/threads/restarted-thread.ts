interface Restartable {
  readonly isReady: boolean;
  readonly over: boolean;
  readonly isBusy: boolean;
  close(): Promise<void>;
}

/** Minimum time, in milliseconds, between two starts. Otherwise a thread that always fails would use a whole core. */
const restartAfterMs = 1_000;

/** Starts the thread when it is first needed, and again if it has ended. */
export class RestartedThread<Thread extends Restartable> {
  private thread: Thread | undefined;
  private restartAt = 0;

  constructor(private readonly start: () => Thread) {}

  /** Undefined if the thread is not ready. Starts the thread if necessary, unless it was last started a moment ago. */
  get(): Thread | undefined {
    if (performance.now() >= this.restartAt) this.started();
    return this.ready;
  }

  get ready(): Thread | undefined {
    return this.thread?.isReady ? this.thread : undefined;
  }

  get busy(): Thread | undefined {
    return this.thread?.isBusy ? this.thread : undefined;
  }

  started(): Thread {
    if (this.thread === undefined || this.thread.over) {
      this.restartAt = performance.now() + restartAfterMs;
      this.thread = this.start();
    }
    return this.thread;
  }

  async close(): Promise<void> {
    await this.thread?.close();
  }
}
