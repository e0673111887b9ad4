import { type Patience, WorkspaceTurns } from '../turns/workspace-turns.js';
import { type ThreadAbout, WorkThread } from './work-thread.js';

export interface ThreadShares {
  readonly mostThreads: number;
  /**
   * Maximum number of requests of one workspace that run at once. Requests with `behind` (see `Patience`) are counted
   * separately.
   */
  readonly mostEach: number;
  /** Maximum number of requests with `behind` that run at once, of all workspaces together. Default: `mostThreads`. */
  readonly mostBehind?: number;
}

const twoThreads: ThreadShares = { mostThreads: 2, mostEach: 1 };

interface RequestOptions extends Patience {
  /** Time limit in milliseconds, without the wait for a turn. Default: the limit in the thread's options. */
  readonly deadlineMs?: number;
}

/** Gives each workspace a fair share of the threads, which are started on demand. */
export class ThreadTurns<Request, Answer> {
  private readonly turns: WorkspaceTurns;
  private readonly threads = new Set<WorkThread<Request, Answer>>();
  private closed = false;

  constructor(
    private readonly about: ThreadAbout,
    { mostThreads: most, ...shares }: ThreadShares = twoThreads,
  ) {
    this.turns = new WorkspaceTurns({ most, ...shares });
  }

  /**
   * Resolves to undefined if the thread did not answer in time or has ended.
   * @throws TurnsTaken, or Error if the thread cannot be started or the adapter is closed
   */
  async request(
    workspace: string,
    request: Request,
    { deadlineMs, ...patience }: RequestOptions = {},
  ): Promise<Answer | undefined> {
    if (this.closed) throw this.closedError();
    const end = await this.turns.acquire(workspace, patience);
    try {
      const answer = await this.free().request(request, deadlineMs);
      if (this.closed && answer === undefined) throw this.closedError();
      return answer;
    } catch (error) {
      throw this.closed ? this.closedError() : error;
    } finally {
      end();
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    this.turns.clear(this.closedError());
    await Promise.all([...this.threads].map((thread) => thread.terminate()));
  }

  /** Starts a thread if all are busy. `mostThreads` also limits the turns, so there are never more threads. */
  private free(): WorkThread<Request, Answer> {
    if (this.closed) throw this.closedError();
    for (const thread of this.threads) if (thread.over) this.threads.delete(thread);
    const idle = [...this.threads].find((thread) => !thread.busy);
    if (idle !== undefined) return idle;
    const thread = new WorkThread<Request, Answer>(this.about);
    this.threads.add(thread);
    return thread;
  }

  private closedError(): Error {
    return new Error(`The thread '${this.about.name}' does no more work: the service is stopping.`);
  }
}
