import { isTooDeep } from '../../../kernel/json-depth.js';
import { CheckGivenUp, type CheckRequest, type Misfit, SchemaCheck } from '../../../ports/schema-check.port.js';
import { FairQueue, type Queued } from '../../turns/fair-queue.js';
import { CheckThread } from './check-thread.js';

/** Two, and one workspace never has both: an expensive check delays others only where two workspaces make them. */
const mostThreads = 2;
/** What is deeper overflows the stack of whoever copies it to the thread. */
const deepest = 200;

interface Waiting extends Queued {
  readonly request: CheckRequest;
  resolve(misfits: readonly Misfit[]): void;
  reject(error: unknown): void;
}

/** Checks in threads that are started when there is something to check. */
export class WorkerSchemaCheck extends SchemaCheck {
  private readonly queue = new FairQueue<Waiting>();
  private readonly threads = new Set<CheckThread>();
  /** Workspaces that have a check in hand. */
  private readonly served = new Set<string>();
  private closed = false;

  override async check(request: CheckRequest): Promise<readonly Misfit[]> {
    if (this.closed) throw closedError();
    if (isTooDeep([request.schema, request.value], deepest)) throw new CheckGivenUp();
    return new Promise((resolve, reject) => {
      this.queue.add({ workspace: request.workspaceId, nested: false, request, resolve, reject });
      this.dispatch();
    });
  }

  override async close(): Promise<void> {
    this.closed = true;
    for (const { reject } of this.queue.clear()) reject(closedError());
    await Promise.all([...this.threads].map((thread) => thread.end()));
  }

  private dispatch(): void {
    for (;;) {
      const next = this.queue.find(({ workspace }) => !this.served.has(workspace));
      const thread = next && this.free();
      if (!next || !thread) return;
      this.queue.remove(next);
      void this.serve(next, thread);
    }
  }

  private free(): CheckThread | undefined {
    for (const thread of this.threads) if (thread.over) this.threads.delete(thread);
    const idle = [...this.threads].find((thread) => !thread.busy);
    if (idle !== undefined || this.threads.size >= mostThreads) return idle;
    const thread = new CheckThread();
    this.threads.add(thread);
    return thread;
  }

  private async serve({ request, workspace, resolve, reject }: Waiting, thread: CheckThread): Promise<void> {
    this.served.add(workspace);
    try {
      resolve(await thread.check(request));
    } catch (error) {
      reject(this.closed ? closedError() : error);
    }
    this.served.delete(workspace);
    this.dispatch();
  }
}

const closedError = () => new Error('Schemas are no longer checked: the service stops.');
