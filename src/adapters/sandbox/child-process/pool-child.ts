import type { SandboxJob, SandboxOutcome } from '../../../ports/sandbox.port.js';
import { GuestJob } from './guest-job.js';
import { GuestProcess } from './guest-process.js';
import type { ChildProcessOptions } from './options.js';
import type { Waiting } from './waiting.js';

const MB = 1024 * 1024;
/** What a run may add to its process beside the isolate's own memory before it is ended: V8 needs room to give up. */
const MEMORY_FACTOR = 1.5;
const MEMORY_SLACK = 32 * MB;
const TICKS_WHILE_PARKED = 8;

export interface ChildListener {
  ready(child: PoolChild): void;
  /** Its run is over or waits for something: there may be room for another. */
  moved(child: PoolChild): void;
  /** The process died without a word about this run, so nothing of it can have taken effect. */
  untouched(waiting: Waiting): void;
  ended(child: PoolChild): void;
}

/** One process of the pool and the run it is busy with, if any. */
export class PoolChild {
  idleSince = performance.now();
  /** It has served long enough, or has grown: it goes when another can take its place. */
  due = false;
  waiting: Waiting | undefined;
  private runs = 0;
  private job: GuestJob | undefined;
  private readonly process: GuestProcess;
  /** When it was ready, and before its present run. */
  private bytesAtFirst: number | undefined;
  private bytesBefore: number | undefined;

  constructor(
    private readonly options: ChildProcessOptions,
    private readonly listener: ChildListener,
  ) {
    this.process = new GuestProcess(options.memoryMb, options.maxIsolatesPerProcess, {
      ready: () => {
        this.bytesAtFirst = this.process.residentBytes();
        this.bytesBefore = this.bytesAtFirst;
        this.listener.ready(this);
      },
      frame: (frame, size) => {
        if (this.job) this.job.hear(frame, size);
        else this.process.distrust();
      },
      ended: (signal) => {
        if (this.waiting && !this.waiting.again && this.job?.abandonIfUntouched()) {
          this.listener.untouched(this.waiting);
          this.waiting = undefined;
        } else this.job?.childEnded(signal);
        this.listener.ended(this);
      },
    });
  }

  get pid(): number | undefined {
    return this.process.pid;
  }

  get ready(): boolean {
    return this.process.ready;
  }

  /** Not to be counted on for runs to come. */
  get leaving(): boolean {
    return this.due || this.process.killed;
  }

  get idle(): boolean {
    return this.process.ready && !this.waiting && !this.process.killed;
  }

  get computingSince(): number | undefined {
    return this.job?.computingSince;
  }

  holds(isolateKey: string): boolean {
    return this.process.isolates.holds(isolateKey);
  }

  start(number: number, waiting: Waiting): void {
    this.waiting = waiting;
    this.runs += 1;
    const settle = (outcome: SandboxOutcome) => this.release(waiting, outcome);
    const job: SandboxJob = waiting.job;
    this.job = new GuestJob(number, job, this.process, settle, () => this.listener.moved(this));
  }

  /** Called at every tick while it is busy; one that says it waits is looked at too, but not as often. */
  watchMemory(tick: number): void {
    if (!this.job || (this.computingSince === undefined && tick % TICKS_WHILE_PARKED !== 0)) return;
    const now = this.process.residentBytes();
    if (now === undefined || this.bytesBefore === undefined) return;
    if (now - this.bytesBefore > this.mayGrowBy) this.job?.condemn('memory');
  }

  kill(): void {
    if (this.job) this.job.condemn('lost', 'The function was ended because the server stops.');
    else this.process.kill();
  }

  private get mayGrowBy(): number {
    return this.options.memoryMb * MB * MEMORY_FACTOR + MEMORY_SLACK;
  }

  private release(waiting: Waiting, outcome: SandboxOutcome): void {
    this.job = undefined;
    this.waiting = undefined;
    this.idleSince = performance.now();
    this.bytesBefore = this.process.residentBytes();
    const grown = (this.bytesBefore ?? 0) - (this.bytesAtFirst ?? 0) > this.mayGrowBy;
    this.due ||= grown || this.runs >= this.options.recycleAfterRuns;
    waiting.resolve(outcome);
    this.listener.moved(this);
  }
}
