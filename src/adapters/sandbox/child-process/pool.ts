import type { SandboxJob } from '../../../ports/offloaded/sandbox.port.js';
import type { CallScheduler } from './call-scheduler.js';
import type { ChildProcessOptions } from './options.js';
import { type ChildListener, PoolChild } from './pool-child.js';
import type { PriorityClass } from './priority-class.js';

/** When `moved` reports a child that has ended, the pool no longer contains it. */
export type PoolListener = Pick<ChildListener, 'computed' | 'moved' | 'untouched'> & {
  started(): void;
  failed(): void;
};

export class Pool implements Iterable<PoolChild> {
  /**
   * Set after a child ended before it was ready. No further children are started until a run or a check of the sandbox
   * is requested, or another child becomes ready.
   */
  startFailed = false;
  readonly minimum: number;
  private readonly children = new Set<PoolChild>();

  constructor(
    private readonly options: ChildProcessOptions,
    private readonly turns: CallScheduler,
    private readonly listener: PoolListener,
  ) {
    this.minimum = Math.min(2, options.parallel, options.processes);
  }

  [Symbol.iterator](): Iterator<PoolChild> {
    return this.children.values();
  }

  get size(): number {
    return this.children.size;
  }

  get ready(): number {
    return this.those((child) => child.ready && !child.leaving).length;
  }

  those(which: (child: PoolChild) => boolean): readonly PoolChild[] {
    return [...this.children].filter(which);
  }

  serves(workspace: string): boolean {
    return this.those(({ waiting }) => waiting?.workspace === workspace).length > 0;
  }

  /**
   * Prefers a child that has compiled the job's code, then one that has the job's isolate, then the one that was used
   * last, so that unused children reach their idle limit.
   */
  idleFor(priority: PriorityClass, workspace: string, job: SandboxJob): PoolChild | undefined {
    const own = this.idle(priority);
    if (priority === 'back') return pick(own, job) ?? pick(this.idle('front').slice(this.minimum), job);
    return own.length > this.reserved || !this.serves(workspace) ? pick(own, job) : undefined;
  }

  grow(priority: PriorityClass, room: number, waiting: number): void {
    if (this.startFailed) return;
    const starting = this.those((child) => !child.ready && child.priority === priority).length;
    // At least one, because a workspace that has waited long enough may start a run even if `room` is 0.
    for (let more = Math.min(Math.max(1, room), waiting) - starting; more > 0; more -= 1) this.spawn(priority);
  }

  /**
   * Ends idle children that are due for replacement. `keepWarm` then starts the replacements, because it does not count
   * the ended children.
   */
  replaceDue(): void {
    if (this.ready < this.minimum) return;
    for (const child of this.children) if (child.due && child.idle) child.kill();
  }

  keepWarm(): void {
    if (this.startFailed) return;
    const staying = this.those((child) => child.priority === 'front' && !child.leaving);
    const free = staying.filter((child) => !child.waiting).length;
    for (let missing = Math.max(this.minimum - staying.length, this.reserved - free); missing > 0; missing -= 1)
      this.spawn('front');
  }

  retireIdle(): void {
    const since = performance.now() - this.options.idleMs;
    const old = (priority: PriorityClass) => this.idle(priority).filter((child) => child.idleSince < since);
    const ready = this.those((child) => child.priority === 'front' && child.ready && !child.leaving).length;
    const spare = Math.min(ready - this.minimum, this.idle('front').length - this.reserved);
    for (const child of [...old('back'), ...old('front').slice(0, Math.max(0, spare))]) child.kill();
  }

  killIdle(): void {
    for (const child of this.children) if (!child.waiting) child.kill();
  }

  killAll(): void {
    for (const child of this.children) child.kill();
  }

  private get reserved(): number {
    return this.minimum > 1 ? 1 : 0;
  }

  private idle(priority: PriorityClass): readonly PoolChild[] {
    return this.those((child) => child.idle && child.priority === priority);
  }

  private spawn(priority: PriorityClass): void {
    this.makeRoom(priority);
    const { computed, moved, untouched, started, failed } = this.listener;
    const child = new PoolChild(this.options, priority, this.turns, {
      computed,
      moved,
      untouched,
      ready: () => {
        this.startFailed = false;
        started();
      },
      ended: () => {
        this.children.delete(child);
        if (!child.ready) {
          this.startFailed = true;
          failed();
        }
        moved(child);
      },
    });
    this.children.add(child);
  }

  private makeRoom(priority: PriorityClass): void {
    if (this.size < 2 * this.options.processes) return;
    const others = this.idle(priority === 'front' ? 'back' : 'front');
    const spare = priority === 'front' ? others : others.slice(this.reserved);
    spare.toSorted((a, b) => a.idleSince - b.idleSince)[0]?.kill();
  }
}

function pick(idle: readonly PoolChild[], job: SandboxJob): PoolChild | undefined {
  const fresh = idle.filter((child) => !child.due);
  const choice = fresh.length > 0 ? fresh : idle;
  const latest = choice.toSorted((a, b) => b.idleSince - a.idleSince)[0];
  const holding = (what: 'program' | 'isolate') => choice.find((child) => child.holds(job) === what);
  return holding('program') ?? holding('isolate') ?? latest;
}
