import { type ResourceLimits, Worker } from 'node:worker_threads';
import { builtScript } from './built-script.js';

export interface ThreadAbout {
  readonly name: string;
  /** URL of a module in the folder of the thread's script. */
  readonly beside: string;
  readonly script: string;
  /** Time limit of a request, in milliseconds, without the wait for a free thread. */
  readonly deadlineMs: number;
  readonly limits: ResourceLimits;
  readonly data?: object;
  /** Time, in milliseconds, after which an unused thread ends. If omitted, the thread does not end by itself. */
  readonly idleMs?: number;
  /** For tests that terminate the thread. */
  readonly onThread?: ((thread: Worker) => void) | undefined;
}

/** The first message is `ready`, and then there is one answer per request. */
export type ThreadMessage<Answer> = 'ready' | { readonly answer: Answer };

const startWithinMs = 15_000;

export class WorkThread<Request, Answer> {
  over = false;
  busy = false;
  private receive: (message: 'gone' | ThreadMessage<Answer>) => void = () => {};
  private readonly ready: Promise<'gone' | ThreadMessage<Answer>>;
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
    this.worker.on('error', () => {});
    this.worker.on('exit', () => {
      this.over = true;
      this.receive('gone');
    });
    this.ready = this.next(startWithinMs);
    about.onThread?.(this.worker);
  }

  /**
   * Resolves to undefined if the thread did not answer in time or has ended.
   * @throws Error if the thread could not be started
   */
  async request(request: Request, withinMs = this.about.deadlineMs): Promise<Answer | undefined> {
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

  async terminate(): Promise<void> {
    this.over = true;
    clearTimeout(this.idle);
    await this.worker.terminate();
  }

  private endWhenIdle(): void {
    const { idleMs } = this.about;
    if (idleMs !== undefined && !this.over) this.idle = setTimeout(() => void this.terminate(), idleMs).unref();
  }

  /**
   * Terminates the thread if no message arrives within `withinMs`. If this process was blocked in between, a message
   * that the thread has sent still arrives before `exit`.
   */
  private next(withinMs: number): Promise<'gone' | ThreadMessage<Answer>> {
    return new Promise((resolve) => {
      const late = setTimeout(() => this.terminate(), withinMs);
      this.receive = (message) => {
        clearTimeout(late);
        resolve(message);
      };
    });
  }
}
