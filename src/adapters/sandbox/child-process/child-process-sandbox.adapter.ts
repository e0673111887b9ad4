import { deepestInput, isTooDeep } from '../../../kernel/json/json-depth.js';
import { Sandbox, type SandboxJob, type SandboxOutcome } from '../../../ports/offloaded/sandbox.port.js';
import { FairQueue } from '../../turns/fair-queue.js';
import { RunAdmission } from './admission.js';
import { CallScheduler } from './call-scheduler.js';
import { FairShares } from './fair-shares.js';
import { type ChildProcessOptions, computingShares, DEFAULT_OPTIONS } from './options.js';
import { Pool } from './pool.js';
import type { PoolChild } from './pool-child.js';
import { PoolWatch } from './pool-watch.js';
import type { PriorityClass } from './priority-class.js';
import { ProcessSlots } from './process-slots.js';
import { type WaitingRun, waitingFor } from './waiting.js';

const failure = (error: string, reason: 'threw' | 'lost'): SandboxOutcome => ({ ok: false, error, reason, logs: [] });
const givenTooDeep = failure('The function was given something nested too deeply, so it was not run.', 'threw');
const noProcess = failure('No process was available for the function.', 'lost');
const CALLER_ENDED = 'The function was ended because the function that called it was.';
const CALLED_OFF = 'The function was ended because its caller cancelled it.';

/** Each child process has one run at a time, so guest code that breaks its process ends only its own run. */
export class ChildProcessSandbox extends Sandbox {
  private readonly options: ChildProcessOptions;
  private readonly computing: FairShares;
  private readonly slots: ProcessSlots;
  private readonly admission: RunAdmission;
  private readonly queue = new FairQueue<WaitingRun>();
  private readonly pool: Pool;
  private readonly watch: PoolWatch;
  private runs = 0;
  private closed = false;
  private readonly observers = new Set<() => void>();

  constructor(options: Partial<ChildProcessOptions> = {}) {
    super();
    this.options = { ...DEFAULT_OPTIONS, ...options };
    this.computing = new FairShares(computingShares(this.options.parallel));
    this.slots = new ProcessSlots(this.options.processes);
    this.admission = new RunAdmission(this.options, this.slots, this.computing);
    this.pool = new Pool(this.options, new CallScheduler(), {
      started: () => this.settleDown(),
      failed: () => this.startHasFailed(),
      moved: () => this.settleDown(),
      computed: (workspace, ms) => this.computing.charge(workspace, ms),
      untouched: (waiting) => this.retry(waiting),
    });
    const retire = () => this.pool.retireIdle();
    this.watch = new PoolWatch(this.options.idleMs, (count) => this.tick(count), retire);
  }

  /** Optional; shortens the wait of the first runs. */
  async start(): Promise<void> {
    this.pool.keepWarm();
    await this.until(() => this.pool.startFailed || this.pool.ready >= this.pool.minimum);
  }

  run(job: SandboxJob): Promise<SandboxOutcome> {
    if (this.closed) return Promise.reject(closedError());
    // Too deep a value would later overflow the stack while a run is started, and crash this process.
    if (isTooDeep([job.params, job.context], 2 * deepestInput)) return Promise.resolve(givenTooDeep);
    const caller = job.calledBy?.ended;
    if (caller?.aborted) return Promise.resolve(failure(CALLER_ENDED, 'lost'));
    if (job.stop?.aborted) return Promise.resolve(failure(CALLED_OFF, 'lost'));
    return new Promise((resolve, reject) => {
      const callerEnded = () => this.callOff(waiting, CALLER_ENDED);
      const calledOff = () => this.callOff(waiting, CALLED_OFF);
      const over = () => {
        caller?.removeEventListener('abort', callerEnded);
        job.stop?.removeEventListener('abort', calledOff);
        this.slots.over(waiting);
      };
      const waiting = waitingFor(job, {
        resolve: (outcome) => {
          over();
          resolve(outcome);
        },
        reject: (error) => {
          over();
          reject(error);
        },
      });
      caller?.addEventListener('abort', callerEnded, { once: true });
      job.stop?.addEventListener('abort', calledOff, { once: true });
      this.slots.addRequest(waiting);
      this.admission.requested(waiting);
      this.queue.add(waiting);
      this.pool.startFailed = false;
      this.pool.keepWarm();
      this.dispatch();
    });
  }

  load(): { readonly waiting: number; readonly running: number; readonly idle: number } {
    return {
      waiting: this.queue.size,
      running: this.pool.those((child) => child.waiting !== undefined).length,
      idle: this.pool.those((child) => child.idle).length,
    };
  }

  async check(): Promise<void> {
    if (this.closed) throw closedError();
    if (this.pool.ready > 0) return;
    this.pool.startFailed = false;
    this.pool.keepWarm();
    await this.until(() => this.pool.startFailed || this.pool.ready > 0);
    if (this.pool.ready === 0) throw new Error('The sandbox cannot start a process.');
  }

  async close(graceMs: number): Promise<void> {
    this.closed = true;
    for (const waiting of this.queue.clear()) waiting.reject(closedError());
    this.pool.killIdle();
    const late = setTimeout(() => this.pool.killAll(), graceMs);
    await this.until(() => this.pool.size === 0);
    clearTimeout(late);
    this.watch.stop();
  }

  private dispatch(): void {
    if (this.closed) return;
    this.serve('front');
    this.serve('back');
    this.watch.follow(this.load().running > 0 || this.queue.size > 0);
  }

  private serve(priority: PriorityClass): void {
    while (this.queue.size > 0) {
      const room = this.admission.room(priority, this.pool);
      const mayStart = (one: WaitingRun) =>
        this.admission.priorityOf(one.workspace) === priority && this.admission.admits(one, room, this.pool);
      // If the first run gets no child, later ones are tried, because the last idle child might be reserved for one of
      // them.
      let child: PoolChild | undefined;
      const waiting = this.queue.find((one) => {
        if (mayStart(one)) child = this.pool.idleFor(priority, one.workspace, one.job);
        return child !== undefined;
      });
      if (waiting && child) this.begin(waiting, child, priority);
      else {
        if (this.queue.find(mayStart)) this.pool.grow(priority, room, this.queue.size);
        return;
      }
    }
  }

  private begin(waiting: WaitingRun, child: PoolChild, priority: PriorityClass): void {
    this.queue.remove(waiting);
    this.slots.assignSlot(waiting);
    if (priority === 'back' && child.priority === 'front') child.setBack();
    this.runs += 1;
    child.start(this.runs, waiting);
  }

  private callOff(waiting: WaitingRun, sentence: string): void {
    if (this.queue.takeOut(waiting)) waiting.resolve(failure(sentence, 'lost'));
    else for (const child of this.pool) if (child.waiting === waiting) child.callOff(sentence);
  }

  private retry(waiting: WaitingRun): void {
    if (this.closed) {
      waiting.reject(closedError());
      return;
    }
    waiting.again = true;
    this.slots.over(waiting);
    this.slots.addRequest(waiting);
    this.queue.add(waiting);
  }

  private settleDown(): void {
    if (this.closed) this.pool.killIdle();
    else {
      this.pool.replaceDue();
      this.pool.keepWarm();
    }
    this.dispatch();
    for (const look of this.observers) look();
  }

  private startHasFailed(): void {
    if (this.pool.ready > 0 || this.closed) return;
    for (const waiting of this.queue.clear()) waiting.resolve(noProcess);
  }

  private tick(count: number): void {
    for (const child of this.pool) child.look(count);
    for (const child of this.pool)
      if (child.priority === 'front' && child.waiting && this.computing.isOver(child.waiting.workspace))
        child.setBack();
    this.settleDown();
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

const closedError = () => new Error('The sandbox is closed.');
