import { FairQueue, type Queued } from '../turns/fair-queue.js';
import { type ThreadAbout, WorkThread } from './work-thread.js';

export interface ThreadShares {
  readonly mostThreads: number;
  /** Of one workspace: fewer than there are, so that expensive work delays others only when two workspaces request it. */
  readonly mostEach: number;
}

const twoThreads: ThreadShares = { mostThreads: 2, mostEach: 1 };

interface Waiting<Request, Answer> extends Queued {
  readonly request: Request;
  resolve(answer: Answer | undefined): void;
  reject(error: unknown): void;
}

/** Distributes work to threads, with workspaces taking turns. Threads are started on demand. */
export class ThreadTurns<Request, Answer> {
  private readonly queue = new FairQueue<Waiting<Request, Answer>>();
  private readonly threads = new Set<WorkThread<Request, Answer>>();
  /** How many requests of a workspace are under way. */
  private readonly served = new Map<string, number>();
  private closed = false;

  constructor(
    private readonly about: ThreadAbout,
    private readonly shares: ThreadShares = twoThreads,
  ) {}

  /** Undefined: the thread gave no answer in time. @throws Error when the thread cannot be started or has ended */
  async ask(workspace: string, request: Request): Promise<Answer | undefined> {
    if (this.closed) throw this.closedError();
    return new Promise((resolve, reject) => {
      this.queue.add({ workspace, depth: 0, request, resolve, reject });
      this.dispatch();
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const { reject } of this.queue.clear()) reject(this.closedError());
    await Promise.all([...this.threads].map((thread) => thread.end()));
  }

  private dispatch(): void {
    for (;;) {
      const next = this.queue.find(({ workspace }) => this.servedOf(workspace) < this.shares.mostEach);
      const thread = next && this.free();
      if (!next || !thread) return;
      this.queue.remove(next);
      void this.serve(next, thread);
    }
  }

  private servedOf(workspace: string): number {
    return this.served.get(workspace) ?? 0;
  }

  private free(): WorkThread<Request, Answer> | undefined {
    for (const thread of this.threads) if (thread.over) this.threads.delete(thread);
    const idle = [...this.threads].find((thread) => !thread.busy);
    if (idle !== undefined || this.threads.size >= this.shares.mostThreads) return idle;
    const thread = new WorkThread<Request, Answer>(this.about);
    this.threads.add(thread);
    return thread;
  }

  private async serve(
    { request, workspace, resolve, reject }: Waiting<Request, Answer>,
    thread: WorkThread<Request, Answer>,
  ): Promise<void> {
    this.served.set(workspace, this.servedOf(workspace) + 1);
    try {
      const answer = await thread.ask(request);
      if (this.closed && answer === undefined) throw this.closedError();
      resolve(answer);
    } catch (error) {
      reject(this.closed ? this.closedError() : error);
    }
    const left = this.servedOf(workspace) - 1;
    if (left > 0) this.served.set(workspace, left);
    else this.served.delete(workspace);
    this.dispatch();
  }

  private closedError(): Error {
    return new Error(`The thread '${this.about.name}' does no more work: the service stops.`);
  }
}
