import { FairShares } from './fair-shares.js';
import { threadShares } from './options.js';

/** Cost of a call on this thread, besides what is measured. */
const callMs = 0.1;
/**
 * Factor for the measured time. Only writing the answer is measured, and receiving, searching and garbage-collecting it
 * cost about as much each.
 */
const timesHandled = 3;
/** Assumed cost of a workspace's first calls. Low enough for all calls that one run may have in flight to begin. */
const firstGuessMs = 12;
/** Decay of the estimate, so that cheap calls do not hide an expensive one at once. */
const guessDecay = 0.9;
/**
 * Waiting calls are checked again after this time, because other workspaces may have stopped and left more time for
 * this one.
 */
const askAgainMs = 250;
const forgetAfterMs = 10_000;

interface Line {
  readonly waiting: (() => void)[];
  /** Charged in advance, so that calls in flight are included. */
  guessMs: number;
  underWay: number;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Schedules calls on this process's single thread, which does everything else too. For a workspace that exceeds its
 * fair share, further calls are delayed, and its processes' output is read later.
 */
export class CallScheduler {
  private readonly lines = new Map<string, Line>();

  constructor(private readonly shares = new FairShares(threadShares)) {}

  /** Records time spent on reading output of this workspace's processes. */
  spent(workspace: string, ms: number): void {
    this.shares.charge(workspace, ms);
  }

  /** Returns the milliseconds for which this workspace must wait before it is checked again. */
  waitOf(workspace: string): number {
    return Math.min(askAgainMs, this.shares.waitOf(workspace));
  }

  /** Runs the call at the workspace's turn. The call resolves to the milliseconds that it took to write its answer. */
  async make(workspace: string, call: () => Promise<number>): Promise<void> {
    const line = this.lineOf(workspace);
    line.underWay += 1;
    if (line.waiting.length > 0 || this.shares.isOver(workspace)) await this.turn(workspace, line);
    const { guessMs } = line;
    this.shares.charge(workspace, guessMs);
    let cost = callMs;
    try {
      cost += timesHandled * (await call());
    } finally {
      this.shares.charge(workspace, cost - guessMs);
      line.guessMs = Math.max(cost, line.guessMs * guessDecay);
      line.underWay -= 1;
      if (line.underWay === 0) setTimeout(() => this.forget(workspace, line), forgetAfterMs).unref();
    }
  }

  private lineOf(workspace: string): Line {
    const known = this.lines.get(workspace);
    if (known) return known;
    const line: Line = { waiting: [], guessMs: firstGuessMs, underWay: 0, timer: undefined };
    this.lines.set(workspace, line);
    return line;
  }

  private forget(workspace: string, line: Line): void {
    if (line.underWay === 0 && this.lines.get(workspace) === line) this.lines.delete(workspace);
  }

  private turn(workspace: string, line: Line): Promise<void> {
    return new Promise((resolve) => {
      line.waiting.push(resolve);
      line.timer ??= this.later(workspace, line);
    });
  }

  /** Starts waiting calls one at a time, so that each is charged before the next is considered. */
  private later(workspace: string, line: Line): NodeJS.Timeout {
    const look = () => {
      line.timer = undefined;
      if (!this.shares.isOver(workspace)) line.waiting.shift()?.();
      if (line.waiting.length > 0) line.timer = this.later(workspace, line);
    };
    // Unreferenced, because the waiting child processes already keep this process alive.
    return setTimeout(look, Math.max(1, this.waitOf(workspace))).unref();
  }
}
