import type { SandboxJob, SandboxOutcome } from '../../../ports/offloaded/sandbox.port.js';
import type { CallScheduler } from './call-scheduler.js';
import { GuestJob } from './guest-job.js';
import { GuestProcess } from './guest-process.js';
import type { IsolateLedger } from './isolate-ledger.js';
import { type ChildProcessOptions, START_COST_MS } from './options.js';
import type { PriorityClass } from './priority-class.js';
import type { WaitingRun } from './waiting.js';

const MB = 1024 * 1024;
/**
 * Growth of the process, as a multiple of the isolate's memory limit, at which the process is killed. Above 1, because
 * V8 needs memory to end the isolate by itself.
 */
const MEMORY_FACTOR = 1.5;
const MEMORY_SLACK = 32 * MB;
const TICKS_WHILE_PARKED = 8;

export interface ChildListener {
  ready(child: PoolChild): void;
  /** @param ms computing time, or the cost of starting a replacement for a process that cannot be used again */
  computed(workspace: string, ms: number): void;
  moved(child: PoolChild): void;
  /**
   * Called if the process has ended before it sent a frame of this run, so the run had no effect and may be started
   * again.
   */
  untouched(waiting: WaitingRun): void;
  ended(child: PoolChild): void;
}

export class PoolChild {
  idleSince = performance.now();
  /** Set if the process has served enough runs or its memory has grown, so that it is replaced. */
  due = false;
  waiting: WaitingRun | undefined;
  private runs = 0;
  private job: GuestJob | undefined;
  private readonly process: GuestProcess;
  private bytesAtFirst: number | undefined;
  private bytesBefore: number | undefined;
  private startMs = START_COST_MS;
  private computedBefore = 0;
  private earlierRunsMs = 0;
  private isCounted = false;

  constructor(
    private readonly options: ChildProcessOptions,
    public priority: PriorityClass,
    private readonly turns: CallScheduler,
    private readonly listener: ChildListener,
  ) {
    this.process = new GuestProcess(options.memoryMb, options.maxIsolatesPerProcess, priority, {
      ready: () => {
        const taken = this.process.computedMs();
        this.isCounted = taken !== undefined;
        this.computedBefore = taken ?? 0;
        this.startMs = taken || START_COST_MS;
        this.bytesAtFirst = this.process.residentBytes();
        this.bytesBefore = this.bytesAtFirst;
        this.listener.ready(this);
      },
      frame: (frame, size) => {
        if (this.job) this.job.receive(frame, size);
        else this.process.distrust();
      },
      read: (ms) => this.hasRead(ms),
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

  get leaving(): boolean {
    return this.due || this.process.killed;
  }

  get idle(): boolean {
    return this.process.ready && !this.waiting && !this.process.killed;
  }

  get computingSince(): number | undefined {
    return this.job?.computingSince;
  }

  get computedMs(): number {
    return this.job?.computedMs ?? 0;
  }

  setBack(): void {
    this.priority = 'back';
    this.process.setBack();
  }

  holds({ isolateKey, program }: SandboxJob): ReturnType<IsolateLedger['holds']> {
    return this.process.isolates.holds(isolateKey, program.source);
  }

  start(number: number, waiting: WaitingRun): void {
    this.waiting = waiting;
    this.runs += 1;
    const settle = (outcome: SandboxOutcome) => this.release(waiting, outcome);
    const parked = () => this.listener.moved(this);
    this.job = new GuestJob(number, waiting, this.turns, this.process, settle, parked);
  }

  look(tick: number): void {
    if (!this.job || (this.computingSince === undefined && tick % TICKS_WHILE_PARKED !== 0)) return;
    this.account();
    const now = this.process.residentBytes();
    if (now === undefined || this.bytesBefore === undefined) return;
    if (now - this.bytesBefore > this.mayGrowBy) this.job?.condemn('memory');
  }

  /** If the operating system does not report computing time, the time during which the run was computing is charged. */
  private account(): void {
    if (!this.waiting) return;
    const now = this.isCounted ? this.process.computedMs() : this.earlierRunsMs + this.computedMs;
    // If the process has ended, its computing time since the last check is unknown and is not charged.
    if (now === undefined) return;
    this.listener.computed(this.waiting.workspace, now - this.computedBefore);
    this.computedBefore = now;
  }

  callOff(error: string): void {
    this.job?.condemn('lost', error);
  }

  kill(): void {
    if (this.job) this.job.condemn('lost', 'The function was ended because the service is stopping.');
    else this.process.kill();
  }

  private get mayGrowBy(): number {
    return this.options.memoryMb * MB * MEMORY_FACTOR + MEMORY_SLACK;
  }

  private hasRead(ms: number): void {
    if (!this.waiting) return;
    const { workspace } = this.waiting;
    this.turns.spent(workspace, ms);
    const wait = this.turns.waitOf(workspace);
    if (wait > 0) this.process.leaveAlone(wait);
  }

  private release(waiting: WaitingRun, outcome: SandboxOutcome): void {
    this.account();
    // If the process cannot serve another run, charges the workspace for the start of its replacement.
    if (this.process.gone) this.listener.computed(waiting.workspace, this.startMs);
    this.earlierRunsMs += this.computedMs;
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
