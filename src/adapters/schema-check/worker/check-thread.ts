import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { CheckGivenUp, type CheckRequest, type Misfit } from '../../../ports/schema-check.port.js';

/** What the thread says of a request. */
export type Answer = readonly Misfit[] | 'given up';

/** Steps bound everything in a check but regular expressions, which end here. Counted from the thread's turn. */
const deadlineMs = 1_000;
const startWithinMs = 15_000;

const here = dirname(fileURLToPath(import.meta.url));
/** Under the test runner this file is TypeScript still; the thread is always the built one. */
const built = import.meta.url.endsWith('.ts') ? join(here, '../../../../dist/src/adapters/schema-check/worker') : here;

/** A thread, with one request in hand at most. Nothing in it is asked to stop: it is ended. */
export class CheckThread {
  over = false;
  busy = false;
  private hear: (said: 'ready' | 'gone' | Answer) => void = () => {};
  private readonly ready: Promise<'ready' | 'gone' | Answer>;
  private readonly worker = new Worker(join(built, 'thread.js'), {
    name: 'schema-check',
    env: {},
    execArgv: [],
    // Far more than the steps of one check can fill: a thread that meets its limit may take the process along.
    resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
  });

  constructor() {
    this.worker.unref();
    this.worker.on('message', (said) => this.hear(said));
    // What went wrong is told by its end, which follows.
    this.worker.on('error', () => {});
    this.worker.on('exit', () => {
      this.over = true;
      this.hear('gone');
    });
    this.ready = this.next(startWithinMs);
  }

  /** @throws CheckGivenUp; Error when the thread never was there */
  async check(request: CheckRequest): Promise<readonly Misfit[]> {
    this.busy = true;
    try {
      return await this.verdict(request);
    } finally {
      this.busy = false;
    }
  }

  private async verdict({ schema, value }: CheckRequest): Promise<readonly Misfit[]> {
    if ((await this.ready) !== 'ready') throw new Error('A thread that checks schemas could not be started.');
    this.worker.postMessage({ schema, value });
    const said = await this.next(deadlineMs);
    if (typeof said === 'string') throw new CheckGivenUp();
    return said;
  }

  async end(): Promise<void> {
    this.over = true;
    await this.worker.terminate();
  }

  /**
   * What it says next. One that says nothing in time is ended, which is heard as `gone`. What it has said by then, while
   * this process was held up, is heard before its end.
   */
  private next(withinMs: number): Promise<'ready' | 'gone' | Answer> {
    return new Promise((resolve) => {
      const late = setTimeout(() => this.end(), withinMs);
      this.hear = (said) => {
        clearTimeout(late);
        resolve(said);
      };
    });
  }
}
