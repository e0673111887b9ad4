interface Restartable {
  /** Whether it accepts requests. */
  readonly isReady: boolean;
  readonly over: boolean;
  readonly isBusy: boolean;
  close(): Promise<void>;
}

/** Shortest time between two starts, so that a thread that cannot run does not occupy a core with starting. */
const restartAfterMs = 1_000;

/** Starts a thread when it is first needed, and again after it has ended. */
export class RestartedThread<Thread extends Restartable> {
  private thread: Thread | undefined;
  private restartAt = 0;

  constructor(private readonly start: () => Thread) {}

  /** Starts the thread if there is none. Returns undefined until it is ready. */
  get(): Thread | undefined {
    if (performance.now() >= this.restartAt) this.started();
    return this.ready;
  }

  /** The thread, if it is ready. */
  get ready(): Thread | undefined {
    return this.thread?.isReady ? this.thread : undefined;
  }

  /** The thread, if it has unanswered requests. */
  get busy(): Thread | undefined {
    return this.thread?.isBusy ? this.thread : undefined;
  }

  /** Returns the thread, which may still be starting, for work that no other thread does. */
  started(): Thread {
    if (this.thread === undefined || this.thread.over) {
      this.restartAt = performance.now() + restartAfterMs;
      this.thread = this.start();
    }
    return this.thread;
  }

  /** Completes all earlier requests, then closes. */
  async close(): Promise<void> {
    await this.thread?.close();
  }
}
