import { threadShares } from './options.js';
import { Shares } from './shares.js';

/** What a call costs this thread beside what is measured. */
const callMs = 0.1;
/** An answer is written out, which is measured. It was received, looked through and collected as well, for as much each. */
const timesHandled = 3;
/** What a call is taken to cost while nothing is known of its workspace: all that one run may have under way begin. */
const firstGuessMs = 12;
/** A dear call is remembered over the cheap ones that follow it. */
const guessKept = 0.9;
/** Others may have stopped meanwhile, and more be left for it. */
const askAgainMs = 250;
const forgetAfterMs = 10_000;

interface Line {
  readonly waiting: (() => void)[];
  /** Charged beforehand, so that calls whose answers are on their way count. */
  guessMs: number;
  underWay: number;
  timer: NodeJS.Timeout | undefined;
}

/**
 * All calls are answered by this process's one thread, which has everything else to do as well. A workspace that uses
 * more than its share of it has its further calls made later, and its processes are read later.
 */
export class CallTurns {
  private readonly lines = new Map<string, Line>();

  constructor(private readonly shares = new Shares(threadShares)) {}

  /** Time that was spent on reading what a process of this workspace wrote. */
  spent(workspace: string, ms: number): void {
    this.shares.charge(workspace, ms);
  }

  /** Milliseconds that this workspace should be left alone for; then it is asked about again. */
  waitOf(workspace: string): number {
    return Math.min(askAgainMs, this.shares.waitOf(workspace));
  }

  /** Makes the call when its workspace has its turn. The call tells how many milliseconds it took to write the answer. */
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
      line.guessMs = Math.max(cost, line.guessMs * guessKept);
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

  /** One at a time: each is charged for before the next is asked about. */
  private later(workspace: string, line: Line): NodeJS.Timeout {
    const look = () => {
      line.timer = undefined;
      if (!this.shares.isOver(workspace)) line.waiting.shift()?.();
      if (line.waiting.length > 0) line.timer = this.later(workspace, line);
    };
    // The processes that wait for it keep this one going.
    return setTimeout(look, Math.max(1, this.waitOf(workspace))).unref();
  }
}
