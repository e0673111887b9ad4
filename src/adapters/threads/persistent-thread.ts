import { Worker } from 'node:worker_threads';
import { builtScript } from './built-script.js';

export interface PersistentThreadOptions<Answer> {
  readonly name: string;
  /** URL of a module in the folder of the thread's script. */
  readonly beside: string;
  readonly script: string;
  readonly data: object;
  /** Returns whether further answers are expected. If none are, the process can exit although the thread still runs. */
  readonly onAnswer: (answer: Answer) => boolean;
  /** `reason` is undefined if the thread was closed (`isClosing`) or terminated. */
  readonly onGone: (reason: unknown) => void;
  /** For tests that terminate the thread. */
  readonly onThread?: ((thread: Worker) => void) | undefined;
}

/** The script posts `ready` when it can accept requests, and exits after the request `close`. */
export class PersistentThread<Request, Answer> {
  isReady = false;
  over = false;
  isClosing = false;
  private readonly worker: Worker;
  private readonly gone: Promise<void>;

  constructor({ name, beside, script, data, onAnswer, onGone, onThread }: PersistentThreadOptions<Answer>) {
    this.worker = new Worker(builtScript(beside, script), {
      name,
      env: {},
      execArgv: ['--no-warnings'],
      workerData: data,
    });
    this.worker.unref();
    let reason: unknown;
    this.worker.on('error', (error) => {
      reason = error;
    });
    this.worker.on('message', (answer: Answer | 'ready') => {
      if (answer === 'ready') this.isReady = true;
      else if (!onAnswer(answer) && !this.isClosing) this.worker.unref();
    });
    this.gone = new Promise((resolve) => {
      this.worker.on('exit', () => {
        this.over = true;
        this.isReady = false;
        onGone(reason);
        resolve();
      });
    });
    onThread?.(this.worker);
  }

  post(request: Request): void {
    this.worker.ref();
    this.worker.postMessage(request);
  }

  /** Lets the thread finish all earlier requests, but terminates it at once if it is still starting. */
  async close(): Promise<void> {
    if (this.over) return;
    this.isClosing = true;
    this.worker.ref();
    if (this.isReady) this.worker.postMessage('close');
    else void this.worker.terminate();
    await this.gone;
  }
}
