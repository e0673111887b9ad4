import { type ChildProcessOptions, HOG_AFTER_MS } from './options.js';
import type { PoolChild } from './pool-child.js';
import type { Waiting } from './waiting.js';

/** Who may start now, and how many processes there may be. */
export class Admission {
  /** One workspace may not hold every process for as long as its runs like to take. */
  private readonly perWorkspace: number;

  constructor(private readonly options: ChildProcessOptions) {
    this.perWorkspace = Math.max(1, options.processes - Math.max(1, Math.floor(options.processes / 4)));
  }

  /** Whether anybody at all may start: asked first, since it is cheaper than asking for each who waits. */
  open(children: ReadonlySet<PoolChild>): boolean {
    return this.computing(children) < this.options.parallel;
  }

  admits(waiting: Waiting, children: ReadonlySet<PoolChild>): boolean {
    const busy = [...children].flatMap((child) => child.waiting ?? []);
    if (waiting.nested) return busy.length < 2 * this.options.processes;
    const others = busy.filter((other) => !other.nested);
    const own = others.filter(({ workspace }) => workspace === waiting.workspace);
    return others.length < this.options.processes && own.length < this.perWorkspace;
  }

  /** How many more may be started for the sake of a run like this one. */
  roomToGrow(waiting: Waiting, children: ReadonlySet<PoolChild>): number {
    const starting = [...children].filter((child) => !child.ready).length;
    const nested = [...children].filter((child) => child.waiting?.nested).length;
    const { processes, parallel } = this.options;
    const most = waiting.nested ? 2 * processes : Math.min(processes + nested, 2 * processes);
    return Math.min(most - children.size, parallel - this.computing(children) - starting);
  }

  /** Without the hogs: they compete for the machine like everyone, but do not keep others from starting. */
  private computing(children: ReadonlySet<PoolChild>): number {
    const since = performance.now() - HOG_AFTER_MS;
    return [...children].filter(({ computingSince }) => computingSince !== undefined && computingSince > since).length;
  }
}
