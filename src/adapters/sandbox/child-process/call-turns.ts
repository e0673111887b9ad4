import { threadShares } from './options.js';
import { Shares } from './shares.js';

/** The cost of a call to this thread in addition to what is measured. */
const callMs = 0.1;
/** Only writing the answer is measured. Receiving, searching and collecting it cost about as much each. */
const timesHandled = 3;
/**
 * The assumed cost of a call while nothing is known of its workspace. Low enough for all calls that one run may have
 * under way to begin.
 */
const firstGuessMs = 12;
/** An expensive call is remembered while cheap ones follow it. */
const guessKept = 0.9;
/** Other workspaces may have stopped meanwhile and left more time for this one. */
const askAgainMs = 250;
const forgetAfterMs = 10_000;

interface Line {
  readonly waiting: (() => void)[];
  /** Charged in advance, so that calls whose answers are under way count. */
  guessMs: number;
  underWay: number;
  timer: NodeJS.Timeout | undefined;
}

/**
 * All calls are answered by this process's single thread, which has everything else to do too. For a workspace that
 * uses more than its share of it, further calls are delayed, and output of its processes is read later.
 */
export class CallTurns {
  private readonly lines = new Map<string, Line>();

  constructor(private readonly shares = new Shares(threadShares)) {}

  /** Records the time spent on reading output of this workspace's processes. */
  spent(workspace: string, ms: number): void {
    this.shares.charge(workspace, ms);
  }

  /** For how many milliseconds this workspace must wait. Ask again afterwards. */
  waitOf(workspace: string): number {
    return Math.min(askAgainMs, this.shares.waitOf(workspace));
  }

  /**
   * Makes the call when it is the workspace's turn. The call answers how many milliseconds it took to write its answer.
   */
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

  /** One at a time: each call is charged before the next is considered. */
  private later(workspace: string, line: Line): NodeJS.Timeout {
    const look = () => {
      line.timer = undefined;
      if (!this.shares.isOver(workspace)) line.waiting.shift()?.();
      if (line.waiting.length > 0) line.timer = this.later(workspace, line);
    };
    // Unreferenced, because the processes that wait for it keep this one alive.
    return setTimeout(look, Math.max(1, this.waitOf(workspace))).unref();
  }
}
