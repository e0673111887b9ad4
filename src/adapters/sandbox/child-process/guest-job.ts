import { isTooDeep } from '../../../kernel/json/json-depth.js';
import type { LogLine, SandboxOutcome } from '../../../ports/offloaded/sandbox.port.js';
import { LIMITS } from '../../../sandbox/limits.js';
import type { FromChild, RunFrame } from '../../../sandbox/protocol.js';
import type { CallScheduler } from './call-scheduler.js';
import { answerCall } from './capability-calls.js';
import type { GuestProcess } from './guest-process.js';
import type { WaitingRun } from './waiting.js';

type Failure = Extract<SandboxOutcome, { ok: false }>['reason'];

const LOST = 'The function was lost: its process ended. It may be started again.';
const MEMORY = 'The function used more memory than it may.';
const TOO_DEEP = 'The function returned something nested too deeply; return plain data.';
const TOO_MANY_ARGUMENTS =
  'The function gave its ctx calls more than 64 MB in one run; give them less, or spread the work over several runs.';
/** Signals with which V8 ends a process that cannot allocate memory. */
const OUT_OF_MEMORY: readonly unknown[] = ['SIGABRT', 'SIGTRAP', 'SIGILL'];

/**
 * Runs a job in a child that is not trusted. After the child was killed, the outcome is reported only when the child
 * has ended, because the log lines that it had written must still be read.
 */
export class GuestJob {
  /** Time, by performance.now(). Undefined while the run waits for a timer or for the result of a call. */
  computingSince: number | undefined = performance.now();
  private computedBefore = 0;
  private settled = false;
  private touched = false;
  private readonly logs: LogLine[] = [];
  private logBytes = 0;
  private callsAtOnce = 0;
  private argumentsSize = 0;
  private framesSent = 0;
  private verdict: { readonly reason: Failure; readonly error: string } | undefined;
  private readonly deadline: NodeJS.Timeout;
  private wakeTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly number: number,
    private readonly waiting: WaitingRun,
    private readonly turns: CallScheduler,
    private readonly child: GuestProcess,
    private readonly settle: (outcome: SandboxOutcome) => void,
    private readonly parked: () => void,
  ) {
    const { job } = waiting;
    const { timeoutMs } = job;
    this.deadline = setTimeout(
      () => this.condemn('timeout', `The function ran longer than its timeout of ${timeoutMs} ms.`),
      timeoutMs,
    );
    child.send({
      t: 'run',
      run: number,
      ...child.isolates.use(job.isolateKey, job.program.source),
      params: JSON.stringify(job.params),
      context: JSON.stringify(job.context),
      names: job.capabilities.map(({ name }) => name),
      captureLogs: job.captureLogs,
      timeoutMs,
    });
  }

  /** Can include time for which the run waited for a processor. */
  get computedMs(): number {
    const { computingSince } = this;
    return this.computedBefore + (computingSince === undefined ? 0 : performance.now() - computingSince);
  }

  /** If called several times, the first reason is reported. */
  condemn(reason: Failure, error: string = reason === 'memory' ? MEMORY : LOST): void {
    this.verdict ??= { reason, error };
    this.child.kill();
    this.waiting.ending.abort();
  }

  receive(frame: RunFrame, size: number): void {
    this.touched = true;
    if (frame.run !== this.number) this.distrust();
    else if (frame.t === 'log') this.addLog(frame);
    else if (this.verdict) return;
    else if (frame.t === 'call') this.call(frame, size);
    else if (frame.t === 'parked') this.park(frame.heard, frame.wakeInMs);
    else this.finish(frame);
  }

  /**
   * Must be called when the child has ended by itself. Without a frame from the child, the run had no effect: stops the
   * clocks and returns true, so that the run can be started again.
   */
  abandonIfUntouched(): boolean {
    if (this.touched || this.verdict || this.settled) return false;
    this.stopClocks();
    return true;
  }

  childEnded(signal: NodeJS.Signals | null): void {
    const unexplained = OUT_OF_MEMORY.includes(signal)
      ? ({ reason: 'memory', error: MEMORY } as const)
      : ({ reason: 'lost', error: LOST } as const);
    if (!this.settled) this.waiting.ending.abort();
    this.conclude({ ok: false, ...(this.verdict ?? unexplained), logs: this.logs });
  }

  private distrust(): void {
    this.condemn('lost');
    this.child.distrust();
  }

  private addLog({ at, level, text }: LogLine): void {
    this.logBytes += Buffer.byteLength(text) + LIMITS.logLineCost;
    // The child itself stops logging at the limit, so a child that exceeds it is compromised.
    if (!this.waiting.job.captureLogs || this.logBytes > LIMITS.log + 2 * LIMITS.logLine) this.distrust();
    else this.logs.push({ at, level, text });
  }

  private park(framesRead: number, wakeInMs: number | null): void {
    // If the child has not read all frames yet, its run still computes, and the child reports again when the run waits.
    if (framesRead !== this.framesSent) return;
    this.computedBefore = this.computedMs;
    this.computingSince = undefined;
    clearTimeout(this.wakeTimer);
    if (wakeInMs !== null) {
      const wait = Math.min(Math.max(1, Math.ceil(wakeInMs)), this.waiting.job.timeoutMs);
      this.wakeTimer = setTimeout(() => this.sendFrame({ t: 'wake', run: this.number }), wait);
    }
    this.parked();
  }

  private call({ id, name, args }: Extract<FromChild, { t: 'call' }>, size: number): void {
    this.argumentsSize += size;
    if (this.argumentsSize > LIMITS.argumentsOfRun) {
      this.condemn('threw', TOO_MANY_ARGUMENTS);
      return;
    }
    this.callsAtOnce += 1;
    if (this.callsAtOnce > LIMITS.callsAtOnce) {
      this.distrust();
      return;
    }
    const { job, workspace, self } = this.waiting;
    void this.turns.run(workspace, async () => {
      if (self.ended.aborted) return 0;
      const { writtenInMs, ends, ...answer } = await answerCall(job.capabilities, name, args, self);
      const from = performance.now();
      this.callsAtOnce -= 1;
      if (ends !== undefined) this.condemn('threw', ends);
      else this.sendFrame({ t: 'answer', run: this.number, id, ...answer });
      return writtenInMs + performance.now() - from;
    });
  }

  private get isOver(): boolean {
    return this.settled || this.verdict !== undefined;
  }

  private sendFrame(frame: Parameters<GuestProcess['send']>[0]): void {
    if (this.isOver) return;
    this.framesSent += 1;
    this.computingSince ??= performance.now();
    this.child.send(frame);
  }

  private finish(frame: Extract<FromChild, { t: 'done' }>): void {
    const { logs } = this;
    if (!frame.ok) {
      // A process must not be reused after one of its isolates ran out of memory.
      if (frame.reason === 'memory') this.child.kill();
      this.conclude({ ok: false, reason: frame.reason, error: frame.error.slice(0, LIMITS.error), logs });
    } else if (isTooDeep(frame.result, LIMITS.depth))
      this.conclude({ ok: false, reason: 'result', error: TOO_DEEP, logs });
    else this.conclude({ ok: true, result: frame.result, logs });
  }

  private conclude(outcome: SandboxOutcome): void {
    if (this.settled) return;
    this.settled = true;
    this.stopClocks();
    this.settle(outcome);
  }

  private stopClocks(): void {
    clearTimeout(this.deadline);
    clearTimeout(this.wakeTimer);
  }
}
