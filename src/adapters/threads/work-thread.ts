import { type ResourceLimits, Worker } from 'node:worker_threads';
import { builtScript } from './built-script.js';

export interface ThreadAbout {
  readonly name: string;
  /** URL of a module in the folder of the thread's script. */
  readonly beside: string;
  readonly script: string;
  /** Counted from the request's turn. */
  readonly deadlineMs: number;
  readonly limits: ResourceLimits;
  /** The script's `workerData`. */
  readonly data?: object;
  /** Time without a request after which the thread ends. Default: none, it waits for ever. */
  readonly idleMs?: number;
  /** Called with each thread. For tests that end it. */
  readonly onThread?: ((thread: Worker) => void) | undefined;
}

/** A thread's messages: first that it is ready, then one answer per request. */
export type ThreadSays<Answer> = 'ready' | { readonly answer: Answer };

const startWithinMs = 15_000;

/** A thread that handles one request at a time. It is stopped by terminating it. */
export class WorkThread<Request, Answer> {
  over = false;
  busy = false;
  private receive: (message: 'gone' | ThreadSays<Answer>) => void = () => {};
  private readonly ready: Promise<'gone' | ThreadSays<Answer>>;
  private readonly worker: Worker;
  private idle: NodeJS.Timeout | undefined;

  constructor(private readonly about: ThreadAbout) {
    const { name, limits, data } = about;
    this.worker = new Worker(builtScript(about.beside, about.script), {
      name,
      env: {},
      execArgv: [],
      resourceLimits: limits,
      workerData: data,
    });
    this.worker.unref();
    this.worker.on('message', (message) => this.receive(message));
    // Ignored, because the exit event that follows is handled.
    this.worker.on('error', () => {});
    this.worker.on('exit', () => {
      this.over = true;
      this.receive('gone');
    });
    this.ready = this.next(startWithinMs);
    about.onThread?.(this.worker);
  }

  /** Returns undefined if the thread did not answer in time, or has ended. @throws Error if the thread never started */
  async ask(request: Request, withinMs = this.about.deadlineMs): Promise<Answer | undefined> {
    this.busy = true;
    clearTimeout(this.idle);
    try {
      if ((await this.ready) !== 'ready') throw new Error(`The thread '${this.about.name}' could not be started.`);
      this.worker.postMessage(request);
      const message = await this.next(withinMs);
      return typeof message === 'string' ? undefined : message.answer;
    } finally {
      this.busy = false;
      this.endWhenIdle();
    }
  }

  async end(): Promise<void> {
    this.over = true;
    clearTimeout(this.idle);
    await this.worker.terminate();
  }

  private endWhenIdle(): void {
    const { idleMs } = this.about;
    if (idleMs !== undefined && !this.over) this.idle = setTimeout(() => void this.end(), idleMs).unref();
  }

  /**
   * Returns the thread's next message. If there is none in time, the thread is terminated and the result is `gone`.
   * Messages sent while this process was blocked are received before the thread's end.
   */
  private next(withinMs: number): Promise<'gone' | ThreadSays<Answer>> {
    return new Promise((resolve) => {
      const late = setTimeout(() => this.end(), withinMs);
      this.receive = (message) => {
        clearTimeout(late);
        resolve(message);
      };
    });
  }
}
