import { deepestInput, isTooDeep } from '../../../kernel/json-depth.js';
import { Sandbox, type SandboxJob, type SandboxOutcome } from '../../../ports/sandbox.port.js';
import { FairQueue } from '../../turns/fair-queue.js';
import { Admission } from './admission.js';
import { type ChildProcessOptions, DEFAULT_OPTIONS } from './options.js';
import { PoolChild } from './pool-child.js';
import { PoolWatch } from './pool-watch.js';
import { type Waiting, workspaceOf } from './waiting.js';

const givenTooDeep: SandboxOutcome = {
  ok: false,
  error: 'The function was given something nested too deeply, so it was not run.',
  reason: 'threw',
  logs: [],
};

/**
 * An elastic pool of child processes with one run in each at a time, so that whatever guest code does to its process,
 * it loses its own run and no other.
 */
export class ChildProcessSandbox extends Sandbox {
  private readonly options: ChildProcessOptions;
  private readonly admission: Admission;
  private readonly queue = new FairQueue<Waiting>();
  private readonly children = new Set<PoolChild>();
  private readonly minimum: number;
  private runs = 0;
  private startFailed = false;
  private closed = false;
  private readonly watch: PoolWatch;
  /** Looked at again whenever a child is ready or has ended. */
  private readonly observers = new Set<() => void>();

  constructor(options: Partial<ChildProcessOptions> = {}) {
    super();
    this.options = { ...DEFAULT_OPTIONS, ...options };
    this.admission = new Admission(this.options);
    const retire = () => this.retireIdle();
    this.watch = new PoolWatch(this.options.idleMs, (count) => this.tick(count), retire);
    this.minimum = Math.min(2, this.options.parallel, this.options.processes);
  }

  /** Optional: has the first children ready before the first run asks for one. */
  async start(): Promise<void> {
    this.keepWarm();
    await this.until(() => this.startFailed || this.ready >= this.minimum);
  }

  run(job: SandboxJob): Promise<SandboxOutcome> {
    if (this.closed) return Promise.reject(new Error('The sandbox is closed.'));
    // Written out in the middle of handing out work, it would end this process and not the run.
    if (isTooDeep([job.params, job.context], 2 * deepestInput)) return Promise.resolve(givenTooDeep);
    return new Promise((resolve, reject) => {
      const workspace = workspaceOf(job.isolateKey);
      this.queue.add({ workspace, nested: job.nested, job, again: false, resolve, reject });
      this.startFailed = false;
      this.keepWarm();
      this.dispatch();
    });
  }

  load(): { readonly waiting: number; readonly running: number; readonly idle: number } {
    const all = [...this.children];
    return {
      waiting: this.queue.size,
      running: all.filter((child) => child.waiting).length,
      idle: all.filter((child) => child.idle).length,
    };
  }

  /** Rejects when no child can be had. */
  async check(): Promise<void> {
    if (this.closed) throw new Error('The sandbox is closed.');
    if (this.ready > 0) return;
    this.startFailed = false;
    this.keepWarm();
    await this.until(() => this.startFailed || this.ready > 0);
    if (this.ready === 0) throw new Error('The sandbox cannot start a process.');
  }

  async close(graceMs: number): Promise<void> {
    this.closed = true;
    for (const waiting of this.queue.clear()) waiting.reject(new Error('The sandbox is closed.'));
    for (const child of this.children) if (!child.waiting) child.kill();
    const late = setTimeout(() => {
      for (const child of this.children) child.kill();
    }, graceMs);
    await this.until(() => this.children.size === 0);
    clearTimeout(late);
    this.watch.stop();
  }

  /** Those that can be counted on, busy or not. */
  private get ready(): number {
    return [...this.children].filter((child) => child.ready && !child.leaving).length;
  }

  /** Starts what may start, then processes for what could start if there were more of them. */
  private dispatch(): void {
    if (this.closed) return;
    while (this.admission.open(this.children)) {
      const waiting = this.queue.find((one) => this.admission.admits(one, this.children));
      if (!waiting) break;
      const child = this.idleFor(waiting.job.isolateKey);
      if (!child) {
        this.grow(waiting);
        break;
      }
      this.queue.remove(waiting);
      this.runs += 1;
      child.start(this.runs, waiting);
    }
    this.watch.follow(this.load().running > 0);
  }

  /** One that has compiled this code already, else the one used last: the others may then grow old and retire. */
  private idleFor(isolateKey: string): PoolChild | undefined {
    const idle = [...this.children].filter((child) => child.idle);
    const fresh = idle.filter((child) => !child.due);
    const choice = fresh.length > 0 ? fresh : idle;
    const latest = choice.toSorted((a, b) => b.idleSince - a.idleSince)[0];
    return choice.find((child) => child.holds(isolateKey)) ?? latest;
  }

  private grow(waiting: Waiting): void {
    if (this.startFailed) return;
    const room = this.admission.roomToGrow(waiting, this.children);
    for (let more = Math.min(room, this.queue.size - this.starting); more > 0; more -= 1) this.spawn();
  }

  private get starting(): number {
    return [...this.children].filter((child) => !child.ready).length;
  }

  /** Nothing is started over and over while starting fails: the next run tries again. */
  private keepWarm(): void {
    if (this.closed || this.startFailed) return;
    const staying = [...this.children].filter((child) => !child.leaving).length;
    for (let missing = this.minimum - staying; missing > 0; missing -= 1) this.spawn();
  }

  private spawn(): void {
    const child = new PoolChild(this.options, {
      ready: () => {
        this.startFailed = false;
        this.settleDown();
      },
      moved: () => this.settleDown(),
      untouched: (waiting) => {
        if (this.closed) waiting.reject(new Error('The sandbox is closed.'));
        else this.queue.add({ ...waiting, again: true });
      },
      ended: () => {
        this.children.delete(child);
        if (!child.ready) this.startHasFailed();
        this.settleDown();
      },
    });
    this.children.add(child);
  }

  private settleDown(): void {
    if (this.closed) for (const child of this.children) if (!child.waiting) child.kill();
    this.replaceDue();
    this.keepWarm();
    this.dispatch();
    for (const look of this.observers) look();
  }

  private startHasFailed(): void {
    this.startFailed = true;
    if (this.ready > 0 || this.closed) return;
    const lost = { ok: false, reason: 'lost', error: 'The function could not be given a process.', logs: [] } as const;
    for (const waiting of this.queue.clear()) waiting.resolve(lost);
  }

  /** A child that is due goes once enough others are ready; `keepWarm` does not count it and so starts them. */
  private replaceDue(): void {
    if (this.ready < this.minimum) return;
    for (const child of this.children) if (child.due && child.idle) child.kill();
  }

  /** Looks at memory; and once a run has become a hog, others may have been let in. */
  private tick(count: number): void {
    for (const child of this.children) child.watchMemory(count);
    this.dispatch();
  }

  private retireIdle(): void {
    const since = performance.now() - this.options.idleMs;
    const idle = [...this.children].filter((child) => child.idle && child.idleSince < since);
    const spare = this.ready - this.minimum;
    for (const child of idle.slice(0, Math.max(0, spare))) child.kill();
  }

  private until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!condition()) return;
        this.observers.delete(look);
        resolve();
      };
      this.observers.add(look);
      look();
    });
  }
}
