interface Restartable {
  /** Whether the thread accepts requests. */
  readonly isReady: boolean;
  readonly over: boolean;
  readonly isBusy: boolean;
  close(): Promise<void>;
}

/**
 * Shortest time, in milliseconds, until `get` starts the thread again. A thread that always fails would otherwise use a
 * whole core.
 */
const restartAfterMs = 1_000;

/** Manages a thread that is started when it is first needed, and again if it has ended. */
export class RestartedThread<Thread extends Restartable> {
  private thread: Thread | undefined;
  private restartAt = 0;

  constructor(private readonly start: () => Thread) {}

  /**
   * Returns the thread if it is ready, otherwise undefined. Starts it if necessary, unless it was last started a moment
   * ago.
   */
  get(): Thread | undefined {
    if (performance.now() >= this.restartAt) this.started();
    return this.ready;
  }

  /** The thread if it is ready, otherwise undefined. */
  get ready(): Thread | undefined {
    return this.thread?.isReady ? this.thread : undefined;
  }

  /** The thread if it has unanswered requests, otherwise undefined. */
  get busy(): Thread | undefined {
    return this.thread?.isBusy ? this.thread : undefined;
  }

  /** Returns the thread even if it is still starting. For work that only the thread can do. */
  started(): Thread {
    if (this.thread === undefined || this.thread.over) {
      this.restartAt = performance.now() + restartAfterMs;
      this.thread = this.start();
    }
    return this.thread;
  }

  /** Closes the thread after all earlier requests. Terminates it at once if it is still starting. */
  async close(): Promise<void> {
    await this.thread?.close();
  }
}
