import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { INPUT_FD, OUTPUT_FD } from '../../../sandbox/descriptors.js';
import { encodeFrame, FrameCutter } from '../../../sandbox/frames.js';
import { LIMITS } from '../../../sandbox/limits.js';
import { type RunFrame, readFromChild, type ToChild } from '../../../sandbox/protocol.js';
import { computedMs } from '../../processes/computed-time.js';
import { makeExpendable } from '../../processes/expendable-child.js';
import { residentBytes } from '../../processes/resident-memory.js';
import { IsolateLedger } from './isolate-ledger.js';
import { START_WITHIN_MS } from './options.js';
import { nicenessOf, type PriorityClass, startingNicenessOf } from './priority-class.js';
import { spawnChild } from './spawn-child.js';

export interface ProcessListener {
  ready(): void;
  /** Called with a frame of which only the shape and the size have been checked. */
  frame(frame: RunFrame, size: number): void;
  read(ms: number): void;
  ended(signal: NodeJS.Signals | null): void;
}

export class GuestProcess {
  ready = false;
  private over = false;
  killed = false;
  private distrusted = false;
  readonly isolates: IsolateLedger;
  private readonly child: ChildProcess;
  private readonly output: Socket;

  constructor(
    memoryMb: number,
    maxIsolates: number,
    private readonly priority: PriorityClass,
    private readonly listener: ProcessListener,
  ) {
    this.isolates = new IsolateLedger(maxIsolates);
    this.child = spawnChild(memoryMb, startingNicenessOf[priority]);
    const cutter = new FrameCutter(LIMITS.frameFromChild);
    const output = this.child.stdio[OUTPUT_FD] as Socket;
    this.output = output;
    output.on('data', (chunk: Buffer) => {
      const from = performance.now();
      if (!cutter.push(chunk, (text) => this.take(text))) this.distrust();
      this.listener.read(performance.now() - from);
    });
    output.on('error', () => this.kill());
    this.child.stdio[INPUT_FD]?.on('error', () => this.kill());
    // The remaining output must be read, because otherwise `close` would never be emitted.
    this.child.on('exit', () => output.resume());
    const late = setTimeout(() => this.ready || this.kill(), START_WITHIN_MS);
    late.unref();
    this.child.on('error', () => this.end(null));
    this.child.on('close', (_code, signal) => this.end(signal));
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  get gone(): boolean {
    return this.killed || this.over;
  }

  send(frame: ToChild): void {
    if (!this.gone) (this.child.stdio[INPUT_FD] as Socket).write(encodeFrame(JSON.stringify(frame)));
  }

  /** Stops reading the child's output for this time. The pipe fills up, so the child must wait (backpressure). */
  leaveAlone(ms: number): void {
    if (this.killed || this.output.isPaused()) return;
    this.output.pause();
    setTimeout(() => this.output.resume(), ms);
  }

  /** Ignores the remaining output of a child that has violated the protocol. */
  distrust(): void {
    this.distrusted = true;
    this.kill();
  }

  kill(): void {
    this.killed = true;
    this.output.resume();
    this.child.kill('SIGKILL');
  }

  /**
   * Includes all threads of the child. Undefined if the child is not running or the operating system does not report
   * it.
   */
  computedMs(): number | undefined {
    return this.child.pid === undefined || this.over ? undefined : computedMs(this.child.pid);
  }

  setBack(): void {
    if (this.child.pid !== undefined) makeExpendable(this.child.pid, nicenessOf.back);
  }

  residentBytes(): number | undefined {
    return this.child.pid === undefined ? undefined : residentBytes(this.child.pid);
  }

  private take(text: string): void {
    if (this.distrusted) return;
    const frame = readFromChild(text);
    if (!frame || (frame.t === 'ready') === this.ready) this.distrust();
    else if (frame.t !== 'ready') this.listener.frame(frame, text.length);
    else {
      this.ready = true;
      if (this.priority === 'back') this.setBack();
      this.listener.ready();
    }
  }

  private end(signal: NodeJS.Signals | null): void {
    if (this.over) return;
    this.over = true;
    this.listener.ended(signal);
  }
}
