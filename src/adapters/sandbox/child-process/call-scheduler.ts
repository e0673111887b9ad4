import { FairShares } from './fair-shares.js';
import { threadShares } from './options.js';

const callMs = 0.1;
/**
 * Factor from the measured time, which covers only the writing of the answer, to the whole cost of a call. The rest,
 * such as receiving data and garbage collection, takes about twice as long.
 */
const timesHandled = 3;
/**
 * Assumed cost of a workspace's first calls, in milliseconds. It is so low that one run can begin as many calls as it
 * may have in flight.
 */
const firstGuessMs = 12;
/** Factor for the guess after a cheaper call. Close to 1, so that an expensive call affects the guess for a while. */
const guessDecay = 0.9;
/**
 * Maximum time, in milliseconds, until a workspace's use is checked again. Other workspaces might stop, which shortens
 * the wait.
 */
const askAgainMs = 250;
const forgetAfterMs = 10_000;

interface Line {
  readonly waiting: (() => void)[];
  /** Expected cost of the next call. Charged before the call, so that calls in flight are included. */
  guessMs: number;
  underWay: number;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Guests' calls run on this process's main thread, which all other work needs too. If a workspace exceeds its fair
 * share, its further calls are delayed, and the output of its processes is read later.
 */
export class CallScheduler {
  private readonly lines = new Map<string, Line>();

  constructor(private readonly shares = new FairShares(threadShares)) {}

  spent(workspace: string, ms: number): void {
    this.shares.charge(workspace, ms);
  }

  waitOf(workspace: string): number {
    return Math.min(askAgainMs, this.shares.waitOf(workspace));
  }

  /** @param call resolves to the milliseconds that writing the answer took */
  async run(workspace: string, call: () => Promise<number>): Promise<void> {
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

  /** Each check starts one waiting call at most, so that a call is charged before the next one is checked. */
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
