interface Restartable {
  /** It accepts requests. */
  readonly isReady: boolean;
  readonly over: boolean;
  readonly isBusy: boolean;
  close(): Promise<void>;
}

/** Shortest time between two starts, so that a thread that cannot run does not use a core by starting. */
const restartAfterMs = 1_000;

/** A thread that is started when it is first needed, and again after it ended. */
export class RestartedThread<Thread extends Restartable> {
  private thread: Thread | undefined;
  private restartAt = 0;

  constructor(private readonly start: () => Thread) {}

  /** Starts the thread if there is none. Undefined until it is ready. */
  get(): Thread | undefined {
    if (performance.now() >= this.restartAt) this.started();
    return this.ready;
  }

  /** The thread if it is ready. */
  get ready(): Thread | undefined {
    return this.thread?.isReady ? this.thread : undefined;
  }

  /** The thread if it has unanswered requests. */
  get busy(): Thread | undefined {
    return this.thread?.isBusy ? this.thread : undefined;
  }

  /** A thread that may still be starting, for work that only it does. */
  started(): Thread {
    if (this.thread === undefined || this.thread.over) {
      this.restartAt = performance.now() + restartAfterMs;
      this.thread = this.start();
    }
    return this.thread;
  }

  /** Completes all earlier requests first. */
  async close(): Promise<void> {
    await this.thread?.close();
  }
}
